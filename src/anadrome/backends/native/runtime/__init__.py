"""What compiled programs call while they run: memory, threads, objects.

In: nothing; each file is a small library, compiled once for a machine.
Out: symbols; `threads` starts the pool of worker threads.
"""
