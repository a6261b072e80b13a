import type { Command } from '../../table.ts'

/** Commands that combine several operations on imports. */
export const importCommands: readonly Command[] = [
  {
    words: ['import', 'run'],
    own: 'import-run',
    summary: 'Run imports and follow them to their ends',
    description:
      'A FILE is an archive on the server, or one that is uploaded, and is inspected first; anything else names an import. Ends with how many are imported, blocked and failed. Exit codes: 9 if one failed, else 5 if one is blocked, 8 with --no-wait.',
    args: [],
    ownArguments: [{ name: 'file', description: 'Archives, or imports', required: true, many: true }],
    ownOptions: [
      { flags: '--as <name>', description: "The account's username; that of the archive by default" },
      { flags: '--domain <name>', description: 'The main domain; that of the archive by default' },
      { flags: '--package <name>', description: 'The package of the account' },
      { flags: '--owner <name>', description: 'The reseller who owns the account' },
      { flags: '--skip <parts>', description: 'What to leave out, separated by commas' },
      { flags: '--map <names>', description: 'New names, as domains:old=new,databases:old=null' },
      { flags: '--dry-run', description: 'Only inspect and report' },
      { flags: '--no-wait', description: 'Do not follow the imports' },
    ],
    examples: [
      'panel import run /root/cpmove-alice.tar.gz',
      'panel import run /backup/a.tar.gz /backup/b.tar.gz --dry-run',
    ],
  },
]
