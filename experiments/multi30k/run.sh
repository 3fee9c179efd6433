#!/bin/sh
# sh run.sh DATA OUT de|fr: a translator from English, trained and tested.
# Run again, it goes on where it was stopped.
set -e
data=$1
out=$2
to=$3
anadrome train translate "$data/train.en" "$data/train.$to" \
    --valid "$data/val.en" "$data/val.$to" --out "$out/$to" \
    --lowercase --merges 10000 --embedding 128 --hidden 256 \
    --dropout 0.3 --smoothing 0.1 \
    --batch-tokens 1000 --steps 6000 --rate 2e-3 --warmup 300 \
    --validate-every 1000 --patience 0 --average 0.999
anadrome evaluate "$out/$to" "$data/test_2016_flickr.en" "$data/test_2016_flickr.$to" \
    --backend native | tee "$out/$to.test"
