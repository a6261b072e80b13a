import { existsSync } from 'node:fs'
import { allSettled } from '../../shared/async/all-settled.ts'
import { defaultTimes } from '../apps/config.ts'
import type { HostArea } from '../contract/driver.ts'
import type { MachineFacts } from '../contract/facts.ts'
import { type ProgramName, programNames } from '../contract/programs.ts'
import type { Machine } from '../driver/machine.ts'
import type { Owners } from '../install/owners.ts'
import { watchSpace } from '../traffic/watch.ts'
import { WafHits } from '../waf/hits.ts'
import { watchPhpSettings } from './apache/php-settings.ts'
import { DebianApps } from './apps/debian-runner.ts'
import { DebianBans } from './bans/bans.ts'
import { certificateReloads } from './certificate-reloads.ts'
import { checksOf } from './checks.ts'
import { type Run, run as runForReal } from './commands.ts'
import { watchPorts } from './connection-ports.ts'
import { consumptionOf } from './consumption.ts'
import { DebianCommands } from './cron/tenants.ts'
import { changedBy, Daemons } from './daemons.ts'
import { type Sql, sqlOf } from './db/client.ts'
import { inSlice } from './db/content/confine.ts'
import { DatabaseContent } from './db/content/content.ts'
import { Databases } from './db/databases.ts'
import { FullDisk } from './db/full-disk.ts'
import { Listening, mariadbRestart } from './db/listening.ts'
import { errorAt } from './error.ts'
import { watchLocks } from './file-locks.ts'
import { debianFirewall } from './firewall/firewall.ts'
import { disableForeignSites } from './foreign-sites.ts'
import { Ftp } from './ftp/ftp.ts'
import { homeWork } from './home.ts'
import { watchObjects } from './ipc-objects.ts'
import { clearTemporary } from './leftovers.ts'
import { hangUpPostfix } from './mail/daemons.ts'
import { Mail } from './mail/mail.ts'
import { mailLog, spamFilter } from './mail/places.ts'
import { groupId, isExpired, userName } from './names.ts'
import { hasBrotli, hasHttp3 } from './nginx.ts'
import { whereInstalled } from './optional.ts'
import { IdleMasters } from './php/idle.ts'
import { phpFacts } from './php/versions.ts'
import { makePrivateLog } from './private-log.ts'
import { endAllOf } from './processes.ts'
import { mailboxes } from './programs/mailboxes.ts'
import { openers } from './programs/places.ts'
import { Programs } from './programs/programs.ts'
import { ProgramRecord } from './programs/record.ts'
import { dropSqlUser, sqlUsers } from './programs/sql-user.ts'
import { endWebmail } from './programs/webmail-data.ts'
import { Quota } from './quota.ts'
import { repairServer, serverDifferences } from './server-drift.ts'
import { endAllSessions, endSessions, forgetLogins, forgetManager } from './sessions.ts'
import { Slices } from './slices.ts'
import { type Suite, suiteOf } from './suite.ts'
import { deleteUser, syncUser, userDifferences } from './users.ts'
import { followHits } from './waf/follow.ts'
import { wafHitsFile, wafLog, wafRules } from './waf/places.ts'
import { WorkerHomes } from './worker/homes.ts'
import { Workers } from './worker/pool.ts'
import { enterSlice } from './worker/scope.ts'
import { clearZones } from './zones.ts'

/** The programs that are set up on this machine. */
const installedPrograms = (root = ''): ProgramName[] => programNames.filter((one) => existsSync(root + openers[one]))

/** The group of a daemon that is not installed does not exist; its files are then for root only. */
const owners: Owners = ({ uid, gid }) => ({
  uid: uid === 'root' ? 0 : uid,
  gid: typeof gid === 'number' ? gid : gid === 'root' ? 0 : (groupId(gid) ?? 0),
})

const apacheProgram = '/usr/sbin/apache2'
const anHour = 3_600_000
const bandwidthLog = '/var/log/panel/bandwidth.log'

/** Where daemons log what strangers make them say; those of accounts are below /var/log/panel. */
const serviceLogs = [
  '/var/log/nginx/access.log',
  '/var/log/nginx/error.log',
  '/var/log/proftpd/proftpd.log',
  '/var/log/proftpd/tls.log',
  '/var/log/rspamd/rspamd.log',
  '/var/log/mysql/error.log',
  '/var/log/btmp',
  wafLog,
]

function programsOf(sql: Sql, fullDisk: FullDisk) {
  const record = new ProgramRecord()
  const phpmyadmin = sqlUsers(sql, record, (username) => fullDisk.keepClosed(username))
  const keepers = { phpmyadmin, webmail: mailboxes() }
  return { record, programs: new Programs({ keepers, record, isSuspended: isExpired }) }
}

const factsOf = (suite: Suite): MachineFacts => {
  const { dovecot, http2 } = suite
  const [checksSpam, programs] = [existsSync(spamFilter), installedPrograms()]
  return {
    dovecot,
    http2,
    http3: hasHttp3(),
    waf: existsSync(wafRules),
    brotli: hasBrotli(),
    apache: existsSync(apacheProgram),
    checksSpam,
    programs,
    php: phpFacts(suite),
  }
}

/** What its users and daemons do; the driver adds what programs answer. */
export type DebianServices = Omit<Machine, 'inspect' | 'condition' | 'verify' | 'imports' | 'canSendMail' | 'sendMail'>

/** This machine, as a Debian host. */
export function debianMachine(suite: Suite = suiteOf(), run: Run = whereInstalled(runForReal)): DebianServices {
  const sql = sqlOf(run)
  const fullDisk = new FullDisk(sql)
  const { record, programs } = programsOf(sql, fullDisk)
  const bans = new DebianBans({ run })
  const endMailboxes = async (addresses: readonly string[], gone: readonly string[]) => {
    await programs.endMailboxes(addresses)
    await endWebmail(run, suite, { ended: addresses, gone })
  }
  const mail = new Mail(run, suite.dovecot, endMailboxes, (line) => bans.mailLine(line))
  const hits = new WafHits({ log: wafLog, file: wafHitsFile, now: Date.now })
  const ftp = new Ftp(run)
  const daemons = new Daemons(run, [
    mariadbRestart(run),
    ...mail.reloads(),
    ...ftp.reloads(),
    ...certificateReloads(run),
  ])
  const databases = new Databases(sql)
  // Dropping a large database takes time.
  const isClosed = (username: string) => fullDisk.isClosed(username)
  const content = new DatabaseContent(sqlOf(run, undefined, anHour), { confine: inSlice(run), isClosed })
  const listening = new Listening(daemons.reloads)
  const [slices, quota] = [new Slices(run), new Quota(run)]
  const agent = [process.argv[1]!, 'host', 'agent']
  const commands = new DebianCommands(run)
  const openLogs = () => {
    ftp.openLog()
    makePrivateLog(mailLog)
    makePrivateLog(bandwidthLog)
  }
  const workers = new Workers([...agent, '--home'], (pid, tenant) => enterSlice(run, pid, tenant))
  const idle = new IdleMasters(run)
  const apps = new DebianApps({ run, workers, builder: [...agent, '--build'], graceMs: defaultTimes.graceMs })
  return {
    kind: 'debian',
    bans,
    firewall: debianFirewall(run),
    apps,
    commands,
    homes: (nameOf) => new WorkerHomes(workers, nameOf),
    owners,
    logs: serviceLogs,
    databases: content,
    quota,
    programs,
    checks: checksOf(run, (paths) => daemons.reloads.note(paths)),
    makeUser: async (account) => {
      const former = userName(account.uid)
      if (former !== undefined && former !== account.username) {
        workers.close(account.uid)
        await daemons.stop({ ...account, username: former })
      }
      await syncUser(run, account)
      if (former === undefined) await quota.makeHome(account)
      await daemons.php.listen(account, factsOf(suite))
    },
    fillHome: async ({ username, uid }, plan) => {
      const work = homeWork(username, plan)
      if (work) await workers.ask({ username, uid }, 'fill', work).done()
    },
    reopenLogs: async () => {
      openLogs()
      hangUpPostfix()
      await daemons.reopenLogs()
    },
    settle: async (account, plans, areas) => {
      await slices.settle(account, plans)
      const all = areas === undefined
      const changed = changedBy(plans)
      const more = [...(await mail.changed(account, changed, all)), ...ftp.changed(changed, all)]
      const reaches = (area: HostArea) => areas?.includes(area) ?? true
      const ended = async () => {
        await endSessions(run, account, plans)
        if (!account.suspended) return
        await programs.endOf(account.uid)
        await endAllOf(account.uid, workers.pids)
        await forgetManager(run, account.uid)
      }
      // One daemon that is down must not keep the others from their steps, or programs from being ended.
      await allSettled([
        reaches('limits') ? quota.set(account) : undefined,
        daemons.settle(account, plans, {
          more,
          php: account.suspended ? 'stop' : reaches('php') ? 'serve' : undefined,
        }),
        reaches('db') ? databases.apply(account).then(() => fullDisk.keepClosed(account.username)) : undefined,
      ]).finally(ended)
      clearZones(changed)
      if (reaches('apps')) await apps.ports.repair(account)
      if (reaches('db') && !account.suspended) await programs.changed(account.username, account.uid)
    },
    settleServer: async (plan, { disablesForeignSites = false }) => {
      const disabled = disablesForeignSites ? disableForeignSites() : []
      const changed = changedBy([plan])
      mail.serverChanged(changed)
      await daemons.reloads.settle([...changed, ...disabled, ...(await repairServer({ run, mail, ftp }))])
    },
    settleZones: async (plan) => {
      const changed = changedBy([plan])
      await daemons.reloads.settle(changed)
      clearZones(changed)
    },
    endWork: async (account) => {
      // An FTP session that is killed stays in ProFTPD's list.
      await allSettled([
        ftp.endSessions(account).catch(() => {}),
        commands.end(account),
        endAllSessions(run, account.uid),
      ])
      await endAllOf(account.uid)
    },
    stop: async (account) => {
      workers.close(account.uid)
      await ftp.endSessions(account).catch(() => {})
      await endAllSessions(run, account.uid)
      await daemons.stop(account)
    },
    forget: async (account, plan, belongings) => {
      ftp.changed(changedBy([plan]), false)
      await daemons.settle(account, [plan], {
        php: 'stop',
        more: await mail.changed(account, changedBy([plan]), false),
      })
      clearZones(changedBy([plan]))
      await programs.endOf(account.uid)
      if (belongings) await databases.remove(belongings)
      if (record.isAuthor(account.uid)) {
        await dropSqlUser(sql, account.uid)
        record.noteAuthor(account.uid, false)
      }
      await forgetLogins(run, account.uid)
      await slices.forget(account)
      await forgetManager(run, account.uid)
      await quota.forget(account)
      mail.trace.forget(account.uid)
      await deleteUser(run, account)
      await clearTemporary(run, account)
    },
    ftpSessions: () => ftp.sessions(),
    refusedDomains: async () => mail.refusedDomains(),
    mailQueue: () => mail.queue,
    mailTrace: () => mail.trace,
    wafHits: () => hits,
    prepare: async ({ mysqlPublic = false }) => {
      mail.listen()
      await listening.set(mysqlPublic)
    },
    recover: async () => {
      workers.ready()
      idle.start()
      watchPhpSettings(run, workers)
      watchPorts()
      watchObjects(run)
      watchLocks(run)
      watchSpace(fullDisk.watched)
      openLogs()
      bans.listen()
      mail.listen()
      followHits(hits)
      // The reload of a daemon that is down stays owed; the agent serves without it.
      await daemons.reloads.settle([]).catch(() => {})
      await quota.recover().catch(() => {})
      await content.recover().catch(() => {})
      await programs.sweep().catch(() => {})
    },
    serverDifferences: () => serverDifferences({ run, mail, ftp }),
    differences: async (account) => [
      ...userDifferences(account),
      ...(await daemons.php.differences(account)),
      ...mail.differences(account),
      ...ftp.differences(account),
      ...(await databases.differences(account).catch(errorAt('mariadb'))),
      ...(await apps.ports.differences(account).catch(errorAt('nftables'))),
    ],
    measure: async (usernames) => {
      const sizes = await databases.sizes(usernames)
      return new Map(
        usernames.map((username) => [
          username,
          {
            databases: sizes.get(username),
            sentThisHour: mail.sentBy(username),
            ...consumptionOf(username),
          },
        ]),
      )
    },
    facts: () => factsOf(suite),
  }
}
