"""A network that reads names by their letters: it guesses languages, makes up names.

The two exercises that every course on recurrent networks has, in one page of NumPy.
"""

import numpy as np

import anadrome as ad

NAMES = {
    "Italian": "Rossi Bianchi Esposito Romano Ricci Marino Greco Conti Lombardi Gallo",
    "Polish": "Nowak Kowalski Wojcik Kaminski Zielinski Szymanski Kozlowski Jankowski",
    "Japanese": "Tanaka Suzuki Takahashi Watanabe Yamamoto Nakamura Kobayashi Yoshida",
}
LANGUAGES = list(NAMES)
EXAMPLES = [
    (name, LANGUAGES.index(k)) for k, names in NAMES.items() for name in names.split()
]
LETTERS = "^" + "".join(sorted({c for name, _ in EXAMPLES for c in name})) + "$"
V, K, H = len(LETTERS), len(LANGUAGES), 48


def numbers(text):
    """The numbers of letters."""
    return np.array([LETTERS.index(c) for c in text])


def read(w, h, letter):
    """The state after one more letter."""
    return np.tanh(w["E"][letter] + w["W"] @ h)


def log_softmax(scores):
    """Logarithms of probabilities."""
    scores = scores - np.max(scores)
    return scores - np.log(np.sum(np.exp(scores)))


def loss(w, letters, language):
    """How unexpected a name of a language is, and its language, given the name."""
    h = w["L"][language]
    total = 0.0
    for t in range(len(letters) - 1):
        h = read(w, h, letters[t])
        total -= log_softmax(w["O"] @ h)[letters[t + 1]]
    g = np.zeros(H)
    for letter in letters:
        g = read(w, g, letter)
    return total / (len(letters) - 1) - log_softmax(w["C"] @ g)[language]


def train(passes=60, rate=0.02, seed=0):
    """Weights, by RMSProp on one name at a time."""
    rng = np.random.default_rng(seed)
    shapes = {"E": (V, H), "W": (H, H), "O": (V, H), "C": (K, H), "L": (K, H)}
    w = {name: rng.normal(size=s) / np.sqrt(H) for name, s in shapes.items()}
    squares = {name: np.zeros_like(a) for name, a in w.items()}
    step = ad.jit(ad.value_and_grad(loss))
    for _ in range(passes):
        for k in rng.permutation(len(EXAMPLES)):
            name, language = EXAMPLES[k]
            _, g = step(w, numbers(f"^{name}$"), language)
            for n in w:
                squares[n] = 0.9 * squares[n] + 0.1 * g[n] ** 2
                w[n] = w[n] - rate * 0.1 * g[n] / (np.sqrt(squares[n]) + 1e-3)
    return w


def guess(w, name):
    """The likeliest language of a name."""
    h = np.zeros(H)
    for letter in numbers(f"^{name}$"):
        h = read(w, h, letter)
    return LANGUAGES[int(np.argmax(w["C"] @ h))]


def make_up(w, language, rng):
    """A name that could be of a language."""
    h, said = w["L"][LANGUAGES.index(language)], "^"
    while said[-1] != "$" and len(said) < 16:
        h = read(w, h, LETTERS.index(said[-1]))
        said += LETTERS[rng.choice(V, p=np.exp(log_softmax(1.2 * (w["O"] @ h))))]
    return said.strip("^$")


if __name__ == "__main__":
    w = train()
    right = sum(guess(w, name) == LANGUAGES[k] for name, k in EXAMPLES)
    print(f"{right} of {len(EXAMPLES)} names of training are told apart")
    for name in ("Sakamoto", "Lewandowski", "Bernardi"):
        print(f"{name}: {guess(w, name)}")
    rng = np.random.default_rng(1)
    for language in LANGUAGES:
        print(f"{language}:", ", ".join(make_up(w, language, rng) for _ in range(4)))
