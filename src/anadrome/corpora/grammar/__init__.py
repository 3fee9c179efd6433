"""A synchronous grammar of English and French: the corpus that needs no download.

Both sides of a sentence pair are realised from one plan, so they say the same thing.
An English sentence has one translation; where English is ambiguous a convention
decides:

- "you" is *vous*, one man; after a first name or "mum" and "dad" it is *tu*, and after
  "sir" and "madam" *vous*, of that gender;
- "I" is a man, "we" and "they" are masculine;
- the simple past is the *passé composé*, of states the *imparfait*; "used to" and
  "was …ing" are the *imparfait*; "will" is the *futur simple*, "is going to" *aller*
  with the infinitive;
- a question with a pronoun is inverted, one with a noun or with "I" begins with
  *est-ce que*;
- "it" always has an antecedent in the sentence, and "they" is *elles* where it refers
  back to women who were just mentioned.

In: a seed.
Out: pairs of sentences, split for training and testing.
"""

from anadrome.corpora.grammar.sampling import Splits, sample_pairs, splits

__all__ = ["Splits", "sample_pairs", "splits"]
