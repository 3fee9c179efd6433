#!/bin/sh
# Language models of the Penn Treebank (Mikolov's split): one of the runs below, in its
# folder under $OUT. The same command again goes on where it was interrupted.
#
#   penn_treebank.sh characters-lstm|characters-multiscale|words-small|words-nnlm DATA OUT
#
# DATA holds train.txt, valid.txt and test.txt, a sentence on each line without spaces
# at its ends (5,017,482, 393,042 and 442,423 characters with line ends).
set -eu
run=$1 data=$2 out=$3/$1
python=${PYTHON:-python}
case $run in
characters-lstm)
    # thesis, section 8.3.2: one layer of 512, embeddings of 256, Adam at 0.001
    options="--model rnn --unit characters --layers 1 --hidden 512 --embedding 256
        --layer-norm --window 100 --batch-tokens 3200 --rate 0.001 --clip 1
        --steps 9408 --validate-every 784 --patience 0" ;;
characters-multiscale)
    # the same, and a dictionary of 2,048 tokens
    options="--model multiscale --hidden 512 --embedding 256 --dictionary 2048
        --window 100 --batch-tokens 3200 --rate 0.001 --clip 1
        --steps 9408 --validate-every 784 --patience 0" ;;
words-small)
    # Zaremba et al. (2014), small: two layers of 200, 20 rows of 20 words, no dropout.
    # Their loss is a sum over the 20 steps of a window, ours a mean over its words: a
    # rate of 1 and a norm of 5 are 20 and 0.25 here. Four epochs, then half in each.
    options="--model rnn --layers 2 --hidden 200 --embedding 200 --window 20
        --batch-tokens 400 --optimizer sgd --rate 20 --clip 0.25 --warmup 1
        --decay step --decay-factor 0.5 --decay-every 2324 --decay-after 6972
        --steps 30212 --validate-every 2324 --patience 0" ;;
words-nnlm)
    # Bengio et al. (2003): 5-grams; 8 epochs of batches of 512
    options="--model nnlm --order 5 --embedding 100 --hidden 200 --no-direct --dropout 0.2
        --window 8 --batch-tokens 512 --rate 0.001 --clip 5
        --steps 14520 --validate-every 1815 --patience 0" ;;
*)
    echo "there is no run $run" >&2
    exit 2 ;;
esac
# shellcheck disable=SC2086
$python -m anadrome train lm "$data/train.txt" --valid "$data/valid.txt" \
    --out "$out" $options
$python -m anadrome evaluate "$out" "$data/test.txt" --backend native
