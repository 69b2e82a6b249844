/** Server processes over one bucket, each with a network to it that can fail. */

import type { Random } from "../../../src/base/random.ts";
import { type FaultyProxy, startFaultyProxy } from "../stores/faulty-proxy.ts";
import { startMemoryS3 } from "../stores/memory-s3.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** A place for one server process at a time. */
export interface ClusterNode {
  readonly name: string;
  readonly proxy: FaultyProxy;
  /** The running server; undefined while it is down. */
  readonly server: ServerProcess | undefined;
  /** Kills the server. */
  kill(): Promise<void>;
  /** Starts a server, without faults of the network until it listens. */
  start(): Promise<void>;
}

/** All nodes. */
export interface BucketCluster {
  readonly nodes: readonly ClusterNode[];
  /** Kills all servers, stopped ones, too, and ends the bucket. */
  close(): Promise<void>;
}

/** Threads and caches that fit several servers on two cores. */
const SETTINGS = [
  ...["--query-threads", "1", "--disk-cache-limit", "0", "--log-level", "error"],
  ...["--indexer", "off"],
];

/** Starts nodes named by `names` over an empty bucket. */
export async function startBucketCluster(
  names: readonly string[],
  random: Random,
): Promise<BucketCluster> {
  const bucket = await startMemoryS3();
  const nodes: ClusterNode[] = [];
  const close = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map(({ proxy }) => proxy.close()));
    await bucket.close();
  };
  try {
    for (const name of names) {
      const proxy = await startFaultyProxy(bucket.url, random);
      const node = clusterNode(name, proxy, bucket.credentials);
      nodes.push(node);
      await node.start();
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { nodes, close };
}

function clusterNode(
  name: string,
  proxy: FaultyProxy,
  environment: Readonly<Record<string, string>>,
): ClusterNode {
  const place = ["--object-store", "s3://bucket/cluster", "--s3-endpoint", proxy.url];
  let server: ServerProcess | undefined;
  return {
    name,
    proxy,
    get server() {
      return server;
    },
    kill: async () => {
      const killed = server;
      server = undefined;
      await killed?.kill();
    },
    start: async () => {
      const { faults, delays } = proxy;
      Object.assign(proxy, { faults: undefined, delays: undefined });
      server = await startServer({ arguments: [...place, ...SETTINGS], environment });
      Object.assign(proxy, { faults, delays });
    },
  };
}
