"""Ranks that integrate together: a communicator of mpi4py as the library's callbacks want it."""
from __future__ import annotations

from typing import Any

import numpy as np

PIECE = 1 << 26  # counts of MPI are int: longer arrays go in pieces


class Communicator:
    """Collective over `comm`, which is duplicated, so that messages of the program and of the library do not meet."""

    def __init__(self, comm: Any):
        from mpi4py import MPI

        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm is {comm!r}; it must be a communicator of mpi4py")
        self._mpi = MPI
        self._comm = comm.Dup()
        machine = self._comm.Split_type(MPI.COMM_TYPE_SHARED, self._comm.Get_rank())
        self.rank, self.ranks = self._comm.Get_rank(), self._comm.Get_size()
        self.local_rank, self.local_ranks = machine.Get_rank(), machine.Get_size()
        machine.Free()

    def sum(self, values: np.ndarray) -> None:
        self._reduce(values, self._mpi.SUM)

    def max(self, values: np.ndarray) -> None:
        self._reduce(values, self._mpi.MAX)

    def _reduce(self, values: np.ndarray, operation: Any) -> None:
        for start in range(0, len(values), PIECE):
            self._comm.Allreduce(self._mpi.IN_PLACE, values[start:start + PIECE], op=operation)

    def broadcast(self, data: np.ndarray) -> None:
        for start in range(0, len(data), PIECE):
            self._comm.Bcast(data[start:start + PIECE], root=0)

    def free(self) -> None:
        self._comm.Free()
