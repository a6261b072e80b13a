import type { Command, OwnOption } from '../../table.ts'

const program: OwnOption = {
  flags: '--program <file>',
  description: 'Litestream, where it is not in the search path',
}

/** The summary of the command group for the replica. */
export const replicaSummary = "The second copy of the server's store, kept up by Litestream"

/** Commands for the store's replica, run on the server's machine. */
export const replicaCommands: readonly Command[] = [
  {
    words: ['replica', 'init'],
    own: 'replica-init',
    summary: 'Set up a second copy of the store, kept up all the time',
    description:
      "Writes Litestream's configuration into the data directory, readable by its owner alone, and the unit panel-replica.service for the Litestream that you installed. About a second of changes is lost with the machine. The copy does not contain secret.key and tls/: keep a copy of them elsewhere.",
    args: [],
    ownOptions: [
      { flags: '--to <place>', description: 'sftp://user@host/path, s3://bucket/path, or a path of this machine' },
      { flags: '--key-file <file>', description: 'Of sftp: the private key that signs in' },
      { flags: '--access-key-id <id>', description: "Of s3: the access key's id (default: the machine's own role)" },
      { flags: '--secret-access-key-file <file>', description: 'Of s3: read the secret access key from a file' },
      { flags: '--secret-access-key-stdin', description: 'Of s3: read the secret access key from standard input' },
      { flags: '--region <name>', description: 'Of s3: the region' },
      { flags: '--endpoint <url>', description: 'Of s3: where it is not at Amazon' },
      { flags: '--monitor-port <number>', description: 'Loopback port for Litestream to report on (default: 7713)' },
      program,
      { flags: '-y, --yes', description: 'Replace files that panel did not write' },
    ],
    examples: [
      'panel replica init --to sftp://panel@backup.example/panel --key-file /root/.ssh/replica',
      'panel replica init --to s3://bucket/panel --access-key-id AKIA1 --secret-access-key-file key',
    ],
  },
  {
    words: ['replica', 'status'],
    own: 'replica-status',
    summary: 'Show the replication status',
    description: 'Exits 1 if the replicator is stopped or stuck.',
    args: [],
    examples: ['panel replica status', 'panel replica status --output json'],
  },
  {
    words: ['replica', 'drill'],
    own: 'replica-drill',
    summary: 'Restore the second copy to a temporary directory and check it',
    description:
      'Says how long it took, whether the copy is sound, which changes are missing from it, and whether secret.key opens it. Nothing of the server is touched. Exits 1 if a takeover would fail.',
    args: [],
    ownOptions: [program],
    examples: ['panel replica drill', 'panel replica drill --output json'],
  },
]
