import { dumpCompressions } from '../../../shared/sql/dumps.ts'
import type { Command } from '../../table.ts'

/** Commands that combine several operations on databases. */
export const databaseCommands: readonly Command[] = [
  {
    words: ['mysql', 'export'],
    own: 'mysql-export',
    summary: 'Export a database and download the dump',
    description:
      'Waits for the export, then saves it: `--output FILE`, or `-` for standard output. It is packed by the ending of the file: .sql.gz, .sql.zst or .sql.',
    args: [],
    ownArguments: [
      { name: 'database', description: 'The database', required: true },
      { name: 'file', description: 'The same as --file' },
    ],
    ownOptions: [
      { flags: '-a, --account <name>', description: 'The account', offers: '/accounts' },
      { flags: '--file <file>', description: 'Where to save it, or - for standard output; also --output' },
      { flags: '--compression <name>', description: 'How to pack it', choices: [...dumpCompressions] },
    ],
    examples: ['panel mysql export alice_shop --output shop.sql.gz', 'panel mysql export alice_shop - -a alice'],
  },
]
