"""The public names, declared once: type checkers read them here, and `nlgauge` imports each at its first use."""

from nlgauge.advisor import choose as choose
from nlgauge.candidates.choice import Consensus as Consensus
from nlgauge.candidates.choice import mbr as mbr
from nlgauge.candidates.choice import rerank as rerank
from nlgauge.candidates.choice import self_similarity as self_similarity
from nlgauge.candidates.choice import utilities as utilities
from nlgauge.compat.rewards import reward as reward
from nlgauge.corpus import Corpus as Corpus
from nlgauge.errors import NlgaugeError as NlgaugeError
from nlgauge.meta.papers.embeddings import embed as embed
from nlgauge.metric import CorpusMetric as CorpusMetric
from nlgauge.metric import Metric as Metric
from nlgauge.metric import Output as Output
from nlgauge.metric import register as register
from nlgauge.metric.card import card as card
from nlgauge.metric.card import list_metrics as list_metrics
from nlgauge.metric.function import metric_from as metric_from
from nlgauge.models import Model as Model
from nlgauge.results.imported.building import from_scores as from_scores
from nlgauge.results.imported.logs import read_log as read_log
from nlgauge.results.plans.plan import plan as plan
from nlgauge.results.result import Result as Result
from nlgauge.results.storage.load import load as load
from nlgauge.scoring import Scorer as Scorer
from nlgauge.scoring import score as score

__version__: str
