"""The servers that the product is compared with, by name."""

from __future__ import annotations

from tools.benchmarks.peers.crunchy import PG_FEATURESERV, PG_TILESERV
from tools.benchmarks.peers.martin import MARTIN, MARTIN_CACHED
from tools.benchmarks.peers.peer import Peer
from tools.benchmarks.peers.tipg import TIPG

PEERS: dict[str, Peer] = {peer.name: peer for peer in (TIPG, MARTIN, MARTIN_CACHED, PG_FEATURESERV, PG_TILESERV)}
