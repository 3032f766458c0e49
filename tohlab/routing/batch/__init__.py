"""The provider's Batch API: half the price, up to a day, one file of requests and one of answers.

`submit_batch` writes files and makes batches of them, `collect_batch` puts what is finished into the store,
`run_batch` does both and waits in between, `batch_status` and `cancel_batch` look and stop, `batch_report`
scores what was collected. An answer has the key that a live one has, so everything that reads a store reads
these too.

Built for OpenAI's shape of a batch, which many services copy. Anthropic's Message Batches (requests in the
body of one call, results as a stream) and Gemini's batch mode are other shapes, and are not built.
"""

from tohlab.routing.batch.collect import BatchState, Collection, collect_batch
from tohlab.routing.batch.limits import OPENAI_LIMITS, BatchLimits
from tohlab.routing.batch.run import batch_report, batch_status, cancel_batch, run_batch
from tohlab.routing.batch.service import BatchClient
from tohlab.routing.batch.submit import Submission, submit_batch

__all__ = [
    "OPENAI_LIMITS",
    "BatchClient",
    "BatchLimits",
    "BatchState",
    "Collection",
    "Submission",
    "batch_report",
    "batch_status",
    "cancel_batch",
    "collect_batch",
    "run_batch",
    "submit_batch",
]
