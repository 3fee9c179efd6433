"""Tasks, one file each: what an example is, and how a model of it is judged.

In: files of examples.
Out: batches for training, scores, and predictions as lines of text.
"""

from anadrome.tasks.registry import UnknownTask, find_task, task_of_folder, tasks

__all__ = ["UnknownTask", "find_task", "task_of_folder", "tasks"]
