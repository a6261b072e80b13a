import type { Command } from '../../table.ts'

/** Commands that combine several file operations. */
export const fileCommands: readonly Command[] = [
  {
    words: ['files', 'upload'],
    own: 'files-upload',
    summary: 'Upload a file of any size',
    description:
      'Run it again after an interruption: it continues where it stopped. A path that ends with / is a directory, and the file keeps its name there.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'The file to upload', required: true },
      { name: 'path', description: 'Where to save it, from the home', required: true },
    ],
    ownOptions: [
      { flags: '-a, --account <name>', description: 'The account', offers: '/accounts' },
      { flags: '--overwrite', description: 'Replace a file that is there' },
      { flags: '--mode <mode>', description: 'Permissions, such as 0644' },
    ],
    examples: ['panel files upload site.zip sites/a/ --account alice'],
  },
  {
    words: ['files', 'download'],
    own: 'files-download',
    summary: 'Download a file of any size',
    description:
      'Run it again after an interruption: it continues where it stopped, or starts over if the file has changed.',
    args: [],
    ownArguments: [
      { name: 'path', description: 'The file, from the home', required: true },
      { name: 'file', description: 'Where to save it (default: under its own name)' },
    ],
    ownOptions: [{ flags: '-a, --account <name>', description: 'The account', offers: '/accounts' }],
    examples: ['panel files download sites/site.zip --account alice'],
  },
]
