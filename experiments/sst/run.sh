#!/bin/sh
# sh run.sh FOLDER OUT [SEED …]: train.txt, dev.txt and test.txt of the treebank are in
# FOLDER; a model for each seed goes to OUT. Run again, it goes on where it was stopped.
set -e
here=$(cd "$(dirname "$0")" && pwd)
data=$1
out=$2
shift 2
export ANADROME_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
for seed in ${*:-0 1 2}; do
    anadrome train trees "$data/train.txt" --valid "$data/dev.txt" \
        --config "$here/recipe.toml" --seed "$seed" --out "$out/seed$seed"
    anadrome evaluate "$out/seed$seed" "$data/test.txt" | tee "$out/seed$seed.test"
done
