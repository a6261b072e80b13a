import type { Command } from '../../table.ts'

/** Commands for the machine itself, without a server. */
export const hostCommands: readonly Command[] = [
  {
    words: ['host', 'setup'],
    own: 'host-setup',
    summary: 'Make this machine a host: Debian 12 or 13, as root',
    description:
      'Installs the Debian packages of the hosted services, writes their base configuration once (what it replaces is kept as *.panel-orig), starts the services, and applies every account. Before anything is changed it checks the machine and lists the packages. Run again, it changes only what differs; after an interruption it continues where it stopped.',
    args: [],
    ownOptions: [
      { flags: '-y, --yes', description: 'Do not ask' },
      { flags: '--dry-run', description: 'Print what would be installed and written, change nothing' },
      {
        flags: '--without <services>',
        description: 'Services to leave out, separated by commas: mail, dns, ftp, mysql, spam; none: all are set up',
      },
      {
        flags: '--php <versions>',
        description: "Further versions of PHP, separated by commas, from the machine's package sources",
      },
      { flags: '--php-source <name>', description: 'Add a package source for them first: sury (packages.sury.org)' },
      { flags: '--front', description: "Have nginx serve the panel at the server's name, on port 443" },
      { flags: '--firewall', description: 'Close all ports that no service needs' },
      { flags: '--no-firewall', description: 'Open them again' },
      { flags: '--waf', description: 'Check requests to sites for attacks, by ModSecurity and its Core Rule Set' },
      { flags: '--no-waf', description: 'Check them no more' },
      { flags: '--hostname <name>', description: "The server's name (default: as before, or the machine's full name)" },
    ],
    examples: [
      'panel host setup',
      'panel host setup --php 7.4,8.1 --php-source sury',
      'panel host setup --yes --hostname server.example.com --without ftp',
    ],
  },
  {
    words: ['host', 'join'],
    own: 'host-join',
    summary: 'Make this machine a node of a panel on another one',
    description:
      "Run as root with the line that `panel nodes create` printed on the panel's machine; the secret comes by standard input. The machine makes a key that never leaves it, and sends the secret only to the panel with the pinned key. From then on its agent connects to that panel by itself.",
    args: [],
    ownArguments: [
      { name: 'address', description: "The panel's node port, such as panel.example.com:7712", required: true },
    ],
    ownOptions: [
      { flags: '--node <id>', description: 'The id of the node' },
      { flags: '--pin <hash>', description: "SHA-256 of the panel's public key" },
      { flags: '--root <dir>', description: "Keep the node's files below a directory (default: the machine itself)" },
      { flags: '-y, --yes', description: 'Also where this machine has a panel with accounts, or is another node' },
    ],
    examples: [
      'panel host join panel.example.com:7712 --node 01K9ZQ5T3M8V4X7C2B6N1D0FGH --pin 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 < secret',
    ],
  },
  {
    words: ['host', 'purge'],
    own: 'host-purge',
    summary: 'Remove what apt purge leaves behind: the setup of this machine, and backups',
    description:
      'For a machine that panel is being taken off: run it as root before the package is purged. With --setup, once no account is hosted here, the services that `panel host setup` installed are stopped, each file that it replaced is put back and each that it made is removed; what was changed by hand since stays and is named, and so are the packages that may go. With --backups, the server and the agent stopped, the backups of all accounts are removed for good. Homes stay.',
    args: [],
    ownOptions: [
      { flags: '--setup', description: 'Take back what panel host setup made of this machine' },
      { flags: '--backups', description: 'Remove the backups of all accounts' },
      { flags: '-y, --yes', description: 'Do not ask' },
    ],
    examples: ['panel host purge --setup', 'panel host purge --backups'],
  },
]
