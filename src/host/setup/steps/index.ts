import type { SetupStep } from '../step.ts'
import { apache } from './apache.ts'
import { apps } from './apps.ts'
import { bans } from './bans.ts'
import { base } from './base.ts'
import { certificate } from './certificate.ts'
import { cgi } from './cgi.ts'
import { databaseSockets } from './database-sockets.ts'
import { dns } from './dns.ts'
import { dovecot } from './dovecot.ts'
import { firewall } from './firewall.ts'
import { ftp } from './ftp.ts'
import { kernel } from './kernel.ts'
import { localClients } from './local-clients.ts'
import { mariadb } from './mariadb.ts'
import { nginx } from './nginx.ts'
import { opendkim } from './opendkim.ts'
import { php } from './php.ts'
import { ports } from './ports.ts'
import { postfix } from './postfix.ts'
import { phpmyadmin } from './programs/phpmyadmin.ts'
import { programUsers } from './programs/users.ts'
import { webmail } from './programs/webmail.ts'
import { quota } from './quota.ts'
import { rspamd } from './rspamd.ts'
import { sockets } from './sockets.ts'
import { ssh } from './ssh.ts'
import { terminals } from './terminals.ts'
import { waf } from './waf.ts'

/** All steps, in order. The agent has run once before them. */
export const steps: readonly SetupStep[] = [
  base,
  bans,
  quota,
  // Before sessions and units of accounts, which have these in place of MariaDB's socket and the machine's terminals.
  databaseSockets,
  terminals,
  kernel,
  sockets,
  ssh,
  // Before PHP, whose units start its sockets.
  cgi,
  php,
  // Before nginx, which leads to it.
  apache,
  apps,
  nginx,
  waf,
  dns,
  mariadb,
  // MariaDB has then the right to its port.
  ports,
  certificate,
  opendkim,
  // Dovecot listens in the queue, whose directories Postfix creates.
  postfix,
  dovecot,
  // Its socket needs Postfix's group.
  rspamd,
  ftp,
  programUsers,
  localClients,
  phpmyadmin,
  webmail,
  // Last: every service is there before other ports are closed.
  firewall,
]
