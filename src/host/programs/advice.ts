type Rule = readonly [pattern: RegExp, advice: string]

/** What to do about a failure of any program. */
const ofAny: readonly Rule[] = [
  [/\bENOENT\b/, 'The program is not installed on the host: run panel host setup there.'],
  [/no space left|\bENOSPC\b|disk full|table .* is full/i, 'The disk of the host is full: make room, then try again.'],
  [/quota exceeded|\bEDQUOT\b/i, 'The disk quota is used up: make room, then try again.'],
  [/cannot allocate memory|out of memory|\bENOMEM\b/i, 'The host is out of memory: try again when it has less to do.'],
  [/read-only file system|\bEROFS\b/i, 'A file system of the host is mounted read-only: check its disk.'],
  [/did not end within/, 'The host may be overloaded: try again later.'],
  [
    /failed to connect to (?:system )?bus|connection timed out.*bus/i,
    'systemd does not answer: check systemctl status on the host.',
  ],
]

const ofUnits: readonly Rule[] = [
  [
    /unit \S+ (?:not found|could not be found|does not exist)|not loaded/i,
    'The service is not installed: run panel host setup on the host.',
  ],
  [/masked/i, 'The service is masked: run systemctl unmask for it on the host.'],
]
const ofUsers: readonly Rule[] = [
  [/cannot lock/i, 'Another program is changing the users of the system: try again in a minute.'],
]
const showsUnits = 'On the host, panel doctor names the service, and journalctl -u with its name shows why.'

const database: readonly Rule[] = [
  [/\b(?:1044|1045|1142|1227|1698)\b|access denied/i, 'MariaDB refuses the panel that right: run panel host setup.'],
  [
    /\b(?:2002|2003)\b|can't connect/i,
    'MariaDB is not running, or does not answer: check systemctl status mariadb on the host.',
  ],
  [
    /\b(?:2006|2013|1053)\b|went away|lost connection/i,
    'MariaDB closed the connection: it was restarted, or it has too little memory. Try again.',
  ],
  [/\b1040\b|too many connections/i, 'All connections are in use: try again when fewer programs are connected.'],
  [/\b(?:1021|1114|1030)\b/, 'The disk for databases is full: make room on the host, then try again.'],
  [/\b(?:1205|1969)\b/, 'A program of the account holds a lock: stop it for that time, then try again.'],
  [/\b(?:1146|1356|1449)\b/, 'Drop or repair the table, view or definer that it names, then try again.'],
  [
    /\b(?:1034|1035|1194|1195|126|145)\b|crashed|corrupt/i,
    'A table is damaged: repair it (REPAIR TABLE, or in phpMyAdmin), then try again.',
  ],
]

const repository: readonly Rule[] = [
  [
    /host key verification|REMOTE HOST IDENTIFICATION/i,
    'The destination showed another host key: if it was changed on purpose, set the new one with panel backup-destinations update --host-key.',
  ],
  [
    /wrong password or no key/i,
    'The repository was made with another encryption password: give the destination a new path, or restore its password.',
  ],
  [
    /already locked|unable to create lock/i,
    'Another restic uses the repository: try again when it has ended; if none runs, restic unlock removes the lock.',
  ],
  [
    /access ?denied|forbidden|\b40[13]\b|invalid ?access ?key|signature ?does ?not ?match|permission denied/i,
    'The destination refuses the key or the path: correct it with panel backup-destinations update.',
  ],
  [
    /no such host|connection refused|timed? ?out|unreachable|no route|connection reset|unexpected EOF/i,
    'The destination cannot be reached: check its address and network, then panel backup-destinations test.',
  ],
  [
    /ssh command exited|unable to start the sftp/i,
    'The SFTP server cannot be reached, refuses the key, or showed another host key: compare its address, user and host key with panel backup-destinations show.',
  ],
  [
    /bucket does not exist|NoSuchBucket|does not exist|no such file/i,
    'Nothing is there: check the bucket and the path with panel backup-destinations show.',
  ],
  [
    /ciphertext verification|invalid data|wrong (?:size|data)|hash/i,
    'The repository is damaged: restic check names the parts, and backups that need them must be made again.',
  ],
]

const broken = 'Correct it in the file that it names on the host, then try again.'

/** By program, its own rules, and what to do if none of them fits. */
const programs: readonly (readonly [name: RegExp, rules: readonly Rule[], otherwise: string])[] = [
  [/^restic$/, repository, 'panel backup-destinations test shows whether the destination works.'],
  [/^mariadb(?:-dump)?$/, database, 'On the host, journalctl -u mariadb shows more. Correct that, then try again.'],
  [/^(?:systemctl|systemd-run|loginctl|busctl)$/, ofUnits, showsUnits],
  [/^(?:user|group)(?:add|mod|del)$/, ofUsers, 'Correct that in the users of the system, then try again.'],
  [/^(?:apt-get|apt-cache|dpkg|dpkg-query)$/, [], "Correct the machine's package sources or packages, then try again."],
  [
    /^rndc$/,
    [[/connect failed|connection refused/i, 'named is not running: check systemctl status named on the host.']],
    broken,
  ],
  [/^(?:openssl|ssh-keygen)$/, [], 'Check the file that it names, and that its directory can be written to.'],
  [
    /^(?:tar|bsdtar|zstd|gzip|bzip2|xz)$/,
    [],
    'The archive is damaged, or not of that format: make or upload it again.',
  ],
  [
    /^(?:postmap|postfix|doveadm|doveconf|sievec|nginx|named-.*|proftpd|sshd|php-fpm.*|apache2ctl|rspamadm)$/,
    [],
    broken,
  ],
  [/^(?:setquota|btrfs)$/, [], 'Check that quotas are on for the file system of the homes: run panel host setup.'],
  [/^node$/, [], 'Try again; if it happens again, journalctl -u panel-agent on the host shows more.'],
]

/** What to do about a program's failure, by what it printed. */
export function adviceOn(name: string, output: string): string {
  const [, rules, otherwise] = programs.find(([pattern]) => pattern.test(name)) ?? [
    undefined,
    [],
    'Correct that on the host, then try again.',
  ]
  return [...ofAny, ...rules].find(([pattern]) => pattern.test(output))?.[1] ?? otherwise
}
