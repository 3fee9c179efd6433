"""Optimisers: pure functions (params, grads, state) -> (params, state).

An optimiser is a record of its constants, with two methods: `start(params)` is the
state before the first update, `update(params, grads, state, rate)` the new parameters
and state. Parameters, gradients and moments are records that are built alike.

In: parameters, gradients, a state, a learning rate.
Out: the parameters and the state after an update.
"""

from anadrome.nn.optimizers.adadelta import Adadelta
from anadrome.nn.optimizers.adagrad import AdaGrad
from anadrome.nn.optimizers.adam import Adam, AdamW
from anadrome.nn.optimizers.optimizer import Optimizer
from anadrome.nn.optimizers.rmsprop import RMSProp
from anadrome.nn.optimizers.sgd import SGD

__all__ = [
    "SGD",
    "AdaGrad",
    "Adadelta",
    "Adam",
    "AdamW",
    "Optimizer",
    "RMSProp",
]
