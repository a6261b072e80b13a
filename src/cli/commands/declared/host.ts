import type { Command } from '../../table.ts'

/** Commands about the machine that need no server. */
export const hostCommands: readonly Command[] = [
  {
    words: ['host', 'setup'],
    own: 'host-setup',
    summary: 'Make this machine a host: Debian 12 or 13, as root',
    description:
      'Installs the Debian packages of the hosted services, writes their base configuration once (what it replaces is kept as *.panel-orig), starts the services, and applies every account. Before anything is changed it checks the machine and lists the packages. Run again, it changes only what differs; interrupted, it goes on where it stopped.',
    args: [],
    ownOptions: [
      { flags: '-y, --yes', description: 'Do not ask' },
      { flags: '--dry-run', description: 'Print what would be installed and written, change nothing' },
      {
        flags: '--without <services>',
        description: 'Services to leave out, separated by commas: mail, dns, ftp, mysql; none: all are set up',
      },
      { flags: '--front', description: "Have nginx serve the panel at the server's name, on port 443" },
      { flags: '--hostname <name>', description: "The server's name (default: as before, or the machine's full name)" },
    ],
    examples: ['panel host setup', 'panel host setup --yes --hostname server.example.com --without ftp'],
  },
  {
    words: ['host', 'purge'],
    own: 'host-purge',
    summary: 'Remove the backups that apt purge leaves behind',
    description:
      'For a machine that panel is being taken off: run it as root before the package is purged, with the server and the agent stopped. The backups of all accounts are removed for good. Homes stay.',
    args: [],
    ownOptions: [
      { flags: '--backups', description: 'Remove the backups of all accounts' },
      { flags: '-y, --yes', description: 'Do not ask' },
    ],
    examples: ['panel host purge --backups'],
  },
]
