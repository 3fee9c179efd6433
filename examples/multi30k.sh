#!/bin/sh
# English to German on Multi30k: 29,000 captions of pictures.
#
#     sh examples/multi30k.sh FOLDER [OUT]
#
# FOLDER holds train.en, train.de, val.en, val.de, test_2016_flickr.en and .de.
# The same command again goes on where training was interrupted.
set -e
data=${1:?give the folder of Multi30k}
out=${2:-runs/multi30k}

anadrome train translate "$data/train.en" "$data/train.de" \
    --valid "$data/val.en" "$data/val.de" --out "$out" \
    --lowercase --merges 10000 --embedding 128 --hidden 256 \
    --dropout 0.3 --smoothing 0.1 \
    --batch-tokens 1000 --steps 5000 --rate 2e-3 --warmup 300 \
    --validate-every 500 --patience 0
anadrome evaluate "$out" "$data/test_2016_flickr.en" "$data/test_2016_flickr.de"
