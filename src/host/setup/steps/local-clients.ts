import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import { localTable, webmailAddress } from '../../debian/local-clients.ts'
import { programPlaces } from '../../debian/programs/places.ts'
import { dropTable, tableUnit } from '../nft.ts'
import type { Facts, SetupStep } from '../step.ts'

const rules = '/etc/panel/local.nft'

const tenants = `meta skuid ${FIRST_ACCOUNT_UID}-${LAST_ACCOUNT_UID}`
/** SSH, FTP, SFTP, and mail with its log-in. */
const ports = 'tcp dport { 21, 22, 110, 143, 465, 587, 993, 995, 2222 }'
const web = 'tcp dport { 80, 443 }'
/** All whose connections are counted, MariaDB too. */
const counted = '{ 21, 22, 80, 110, 143, 443, 465, 587, 993, 995, 2222, 3306 }'

/** The number of connections that the programs of one account may have. */
const MAX_CONNECTIONS = 50
/** FTP log-ins, which a ban of the shared address cannot limit. */
const MAX_FTP_CONNECTIONS_PER_MINUTE = 20

/** Connections to sshd, which takes only some before they log in. */
const MAX_SSH_CONNECTIONS = 5
/** Connections to nginx: its slots are everybody's. */
const MAX_WEB_CONNECTIONS = 80
/** Connections to services of this machine that one account opens in a second; an ended one is remembered for two minutes. */
const MAX_NEW_CONNECTIONS_PER_SECOND = 100
/** Connections to MariaDB over TCP: of all accounts together, and of other machines together. */
const MAX_LOCAL_DATABASE_CONNECTIONS = 500
const MAX_REMOTE_DATABASE_CONNECTIONS = 500
/** Connections from other machines to services whose places are everybody's: of one address or IPv6 /64. */
const outsideLimits = [
  { name: 'ftp', ports: '{ 21, 2222 }', max: 40 },
  { name: 'mailbox', ports: '{ 110, 143, 993, 995 }', max: 250 },
  { name: 'smtp', ports: '{ 25, 465, 587 }', max: 50 },
  { name: 'database', ports: '3306', max: 50 },
]
const outsideSets = outsideLimits.flatMap(({ name }) => [
  `  set remote_${name} {
    typeof ip saddr
    size 65536
    flags dynamic
  }
`,
  `  set remote_${name}6 {
    typeof ip6 saddr
    size 65536
    flags dynamic
  }
`,
])
const outsideRules = outsideLimits.flatMap(({ name, ports, max }) => [
  `    tcp dport ${ports} ct state new add @remote_${name} { ip saddr ct count over ${max} } reject with tcp reset
`,
  `    tcp dport ${ports} ct state new add @remote_${name}6 { ip6 saddr and ffff:ffff:ffff:ffff:: ct count over ${max} } reject with tcp reset
`,
])
/** Ports from which connections start, and those above. What a listener accepts keeps its port, see `connection-ports.ts`. */
const connectionPorts = '32768-65535'
const opens = 'tcp flags & (syn | ack) == syn'

/** Connections and UDP exchanges with other machines: the kernel's table of them is everybody's. */
const MAX_OUTSIDE_CONNECTIONS = 2000

/** Dovecot believes whom webmail names, so that address must be webmail's alone. */
const webmailOnly = `    ip saddr ${webmailAddress} ct direction original meta skuid != ${programPlaces.webmail.user} reject with tcp reset
`

const table = ({
  without,
}: Facts): string => `# Written by \`panel host setup\`: what programs of this machine may claim and take of its services.
table inet ${localTable}
delete table inet ${localTable}
table inet ${localTable} {
  set connections {
    typeof meta skuid
    size 65536
    flags dynamic
  }
  set web {
    typeof meta skuid
    size 65536
    flags dynamic
  }
  set shells {
    typeof meta skuid
    size 65536
    flags dynamic
  }
  set databases {
    typeof meta skuid
    size 65536
    flags dynamic
  }
${outsideSets.join('')}  set outside {
    typeof meta skuid
    size 65536
    flags dynamic
  }
  set rates {
    typeof meta skuid
    size 65536
    flags dynamic,timeout
    timeout 1m
  }
  set tries {
    typeof meta skuid
    size 65536
    flags dynamic,timeout
    timeout 2m
  }
  # The kernel remembers no exchange within this machine, except those that are counted below.
  chain untracked {
    type filter hook output priority raw; policy accept;
    oifname != "lo" accept
    tcp dport ${counted} accept
    ${tenants} notrack
    tcp sport ${counted} accept
    notrack
  }
  chain from_here {
    type filter hook output priority -10; policy accept;
${without.has('mail') ? '' : webmailOnly}    ${tenants} ip saddr 127.0.0.0/8 ip saddr != 127.0.0.1 ${ports} reject with tcp reset
    ${tenants} oifname "lo" tcp dport ${counted} ct state new update @rates { meta skuid limit rate over ${MAX_NEW_CONNECTIONS_PER_SECOND}/second burst ${2 * MAX_NEW_CONNECTIONS_PER_SECOND} packets } reject with tcp reset
    ${tenants} oifname "lo" tcp dport ${connectionPorts} ${opens} update @rates { meta skuid limit rate over ${MAX_NEW_CONNECTIONS_PER_SECOND}/second burst ${2 * MAX_NEW_CONNECTIONS_PER_SECOND} packets } reject with tcp reset
    ${tenants} oifname "lo" ${web} ct state new add @web { meta skuid ct count over ${MAX_WEB_CONNECTIONS} } reject with tcp reset
    ${tenants} oifname "lo" tcp dport 22 ct state new add @shells { meta skuid ct count over ${MAX_SSH_CONNECTIONS} } reject with tcp reset
    ${tenants} oifname "lo" tcp dport 3306 ct state new add @databases { meta skuid ct count over ${MAX_CONNECTIONS} } reject with tcp reset
    ${tenants} oifname "lo" tcp dport 3306 ct state new ct count over ${MAX_LOCAL_DATABASE_CONNECTIONS} reject with tcp reset
    ${tenants} oifname != "lo" ct state new add @outside { meta skuid ct count over ${MAX_OUTSIDE_CONNECTIONS} } reject
    ${tenants} ${ports} ct state new add @connections { meta skuid ct count over ${MAX_CONNECTIONS} } reject with tcp reset
    ${tenants} tcp dport { 21, 2222 } ct state new update @tries { meta skuid limit rate over ${MAX_FTP_CONNECTIONS_PER_MINUTE}/minute burst ${MAX_FTP_CONNECTIONS_PER_MINUTE} packets } reject with tcp reset
  }
  # The places of these services are everybody's, those before a log-in too.
  chain from_outside {
    type filter hook input priority -10; policy accept;
    iifname "lo" accept
    tcp dport ${connectionPorts} ${opens} limit rate over ${MAX_NEW_CONNECTIONS_PER_SECOND}/second burst ${2 * MAX_NEW_CONNECTIONS_PER_SECOND} packets drop
${outsideRules.join('')}    tcp dport 3306 ct state new ct count over ${MAX_REMOTE_DATABASE_CONNECTIONS} reject with tcp reset
  }
}
`

const unit = tableUnit('Limits for programs of this machine that use its services', rules, localTable)

/** Says who is who among the clients on this machine: the kernel, by user, as all of them share loopback. */
export const localClients: SetupStep = {
  name: 'local-clients',
  packages: () => ['nftables'],
  files: (facts) => [
    { path: rules, content: table(facts), mode: 0o600 },
    { path: '/etc/systemd/system/panel-local.service', content: unit, mode: 0o644 },
  ],
  undo: (run) => dropTable(run, localTable),
  units: () => [{ name: 'panel-local.service', run: true, renew: 'reload' }],
}
