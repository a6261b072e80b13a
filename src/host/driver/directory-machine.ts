import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LocalApps } from '../apps/local.ts'
import { DirectoryBans } from '../bans/host-bans.ts'
import type { HostPrograms, OutgoingMail } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import { TenantList } from '../debian/mail/tenants.ts'
import { directoryFirewall } from '../firewall/directory-firewall.ts'
import { LocalHomes } from '../homes/local.ts'
import { localImports } from '../imports/local.ts'
import type { FailPoint } from '../install/engine.ts'
import { withUserMessage } from '../install/user-message.ts'
import { DirectoryQueue } from '../mail-queue/directory.ts'
import { MailTrace } from '../mail-trace/trace.ts'
import type { Bounds } from '../measure/walk.ts'
import { Tenants } from '../tenant/tenants.ts'
import { WafHits } from '../waf/hits.ts'
import type { Machine } from './machine.ts'

/** Messages in `mail-out`; the oldest go first. */
const MAX_MAIL_FILES = 1000

const noPrograms: HostPrograms = {
  async openProgram() {
    throw new HostError('unsupported', 'Links to webmail and phpMyAdmin do not work on this host.')
  },
}

export interface DirectoryMachineOptions {
  readonly root: string
  readonly now?: (() => number) | undefined
  /** Whether to run tenants' programs. */
  readonly trustTenants: boolean
  readonly bounds?: Bounds | undefined
  readonly onFailPoint?: FailPoint | undefined
}

const nothing = async (): Promise<void> => {}

/** A directory in place of a machine: without users, checks and daemons; tenants' programs run as this process's user. */
export const directoryMachine = ({
  root,
  trustTenants,
  bounds,
  onFailPoint,
  now = Date.now,
}: DirectoryMachineOptions): Machine => {
  const owners = new TenantList(join(root, 'etc/panel'))
  const hits = new WafHits({ log: join(root, 'var/log/panel/waf.log'), file: join(root, 'waf-hits.db'), now })
  const trace = new MailTrace({ logs: join(root, 'var/log/panel'), file: join(root, 'mail-trace.db'), owners, now })
  return {
    kind: 'directory',
    bans: new DirectoryBans(join(root, 'bans')),
    firewall: directoryFirewall(join(root, 'firewall.rules'), now),
    facts: () => undefined,
    owners: undefined,
    checks: {},
    commands: new Tenants(root, trustTenants),
    apps: new LocalApps({ root, trusted: trustTenants, onFailPoint: onFailPoint ?? (() => {}) }),
    homes: (nameOf) => new LocalHomes({ root, nameOf, bounds, onFailPoint }),
    databases: undefined,
    quota: undefined,
    imports: localImports(root),
    programs: noPrograms,
    logs: [],
    inspect: async () => null,
    condition: async () => null,
    verify: async () => [],
    canSendMail: async () => true,
    sendMail: (mail) => withUserMessage('install', async () => keepMail(join(root, 'mail-out'), mail)),
    mailQueue: () => new DirectoryQueue(root, now),
    mailTrace: () => trace,
    wafHits: () => hits,
    makeUser: nothing,
    fillHome: nothing,
    settle: async ({ username, uid }) => owners.changed(username, uid),
    settleServer: nothing,
    settleZones: nothing,
    reopenLogs: nothing,
    endWork: nothing,
    stop: nothing,
    forget: async ({ username, uid }) => {
      owners.changed(username, uid)
      trace.forget(uid)
    },
    recover: nothing,
    prepare: nothing,
    differences: async () => [],
    serverDifferences: async () => [],
    ftpSessions: async () => [],
    refusedDomains: async () => [],
    measure: async () => new Map(),
  }
}

/** Messages are files. */
function keepMail(folder: string, mail: OutgoingMail): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const oldest = readdirSync(folder)
    .sort()
    .slice(0, 1 - MAX_MAIL_FILES)
  for (const name of oldest) rmSync(join(folder, name), { force: true })
  writeFileSync(join(folder, `${mail.id}.eml`), mail.message, { mode: 0o600 })
}
