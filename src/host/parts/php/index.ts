import type { AccountCore } from '../../contract/account.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import { complete, fields, listOf, objectOf, optional, text, yesOrNo } from '../../contract/fields.ts'
import { part } from '../part.ts'
import { type FileSpec, nothing, systemDir, systemFile } from '../spec.ts'
import { siteFile } from '../web/state.ts'
import { defaultVersion, setName, setOf, socketIn, versionOf } from './sets.ts'
import { phpUnits } from './units.ts'

export interface PhpPoolSettings {
  readonly memoryMb: number
  /** Of computing. */
  readonly executionS: number
  readonly uploadMb: number
  readonly postMb: number
  readonly inputVars: number
  readonly displayErrors: boolean
  readonly opcache: boolean
  /** Besides the version's own. */
  readonly extensions: readonly string[]
}

/** Processes with settings of their own. */
export interface PhpPool {
  /** Debian's own if absent. */
  readonly version?: string | undefined
  /** The file of the site that it is for; absent: for all sites without settings. */
  readonly name?: string | undefined
  readonly settings: PhpPoolSettings
}

export interface PhpState {
  /** The maximum number of processes: unlimited if absent; 0 turns PHP off. */
  readonly children?: number | undefined
  /** Its programs send as the system user: the main domain is not verified. */
  readonly sendsAsUser?: boolean | undefined
  /** Of cron commands and of SSH; Debian's own if absent. */
  readonly version?: string | undefined
  readonly pools: readonly PhpPool[]
  /** The longest that a script may run, whatever it sets itself. */
  readonly maxExecutionS: number
  /** Without a request, until its processes end; 0: never. */
  readonly idleMinutes: number
}

const childrenWhenUnlimited = 20

function master({ username }: AccountCore, { idleMinutes }: PhpState): string[] {
  return [
    `; panel ends it after ${idleMinutes} idle minutes`,
    '[global]',
    `error_log = /var/log/panel/${username}/php.log`,
    'daemonize = no',
    // The default of 0 breaks requests in flight during a reload.
    'process_control_timeout = 10s',
  ]
}

const onOff = (value: boolean): string => (value ? 'on' : 'off')

function limits({ settings }: PhpPool, loaded: readonly string[]): string[] {
  const { memoryMb, executionS, uploadMb, postMb, inputVars, displayErrors, opcache, extensions } = settings
  return [
    `php_value[memory_limit] = ${memoryMb}M`,
    `php_value[max_execution_time] = ${executionS}`,
    `php_value[max_input_time] = ${executionS}`,
    `php_value[upload_max_filesize] = ${uploadMb}M`,
    `php_value[post_max_size] = ${postMb}M`,
    `php_value[max_input_vars] = ${inputVars}`,
    `php_flag[display_errors] = ${onOff(displayErrors)}`,
    // A script that is replaced, and one that is put back, takes effect with the next request, not two seconds later.
    opcache ? 'php_value[opcache.revalidate_freq] = 0' : 'php_flag[opcache.enable] = off',
    ...extensions.filter((name) => !loaded.includes(name)).map((name) => `php_admin_value[extension] = ${name}`),
  ]
}

function common({ username, mainDomain }: AccountCore, { sendsAsUser }: PhpState): string[] {
  const sender = sendsAsUser ? username : `${username}@${mainDomain}`
  return [
    `php_admin_value[session.save_path] = /home/${username}/tmp`,
    `php_admin_value[upload_tmp_dir] = /home/${username}/tmp`,
    `php_admin_value[sys_temp_dir] = /home/${username}/tmp`,
    // Debian's timer for old sessions does not know this directory.
    'php_value[session.gc_probability] = 1',
    'php_value[session.gc_divisor] = 1000',
    `php_admin_value[sendmail_path] = /usr/sbin/sendmail -t -i -f ${sender}`,
    'php_admin_flag[log_errors] = on',
    // Seconds until a changed `.user.ini` takes effect.
    'php_admin_value[user_ini.cache_ttl] = 60',
  ]
}

interface PlacedPool {
  readonly pool: PhpPool
  readonly socket: string
  readonly children: number
  /** Extensions that its version always has. */
  readonly loaded: readonly string[]
}

function poolLines(core: AccountCore, state: PhpState, { pool, socket, children, loaded }: PlacedPool): string[] {
  return [
    `[${pool.name ?? core.username}]`,
    `user = ${core.uid}`,
    `group = ${core.uid}`,
    `listen = ${socket}`,
    'pm = ondemand',
    `pm.max_children = ${children}`,
    'pm.process_idle_timeout = 30s',
    'pm.max_requests = 1000',
    `request_terminate_timeout = ${state.maxExecutionS}s`,
    'security.limit_extensions = .php',
    ...limits(pool, loaded),
    ...common(core, state),
  ]
}

/** The processes of each pool: together the account's, but each has one. */
function sharesOf(children: number, pools: number): number[] {
  const [each, rest] = [Math.floor(children / pools), children % pools]
  return Array.from({ length: pools }, (_, at) => Math.max(1, each + (at < rest ? 1 : 0)))
}

function filesOf(core: AccountCore, state: PhpState, facts: MachineFacts): FileSpec[] {
  const order = (pool: PhpPool): string => `${versionOf(pool, facts)} ${pool.name ?? ''}`
  const pools = state.pools.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  const shares = sharesOf(state.children ?? childrenWhenUnlimited, pools.length)
  return [...new Set(pools.map((pool) => versionOf(pool, facts)))].flatMap((version) => {
    const set = setOf(core.username, version, pools, facts)
    const loaded = facts.php?.loaded[version] ?? []
    const placed = pools.flatMap((pool, at): PlacedPool[] =>
      versionOf(pool, facts) === version ? [{ pool, socket: socketIn(set, pool), children: shares[at]!, loaded }] : [],
    )
    const lines = [master(core, state), ...placed.map((one) => poolLines(core, state, one))]
    return [
      systemFile(`etc/panel/php/${setName(set)}.conf`, 0o644, lines.flatMap((group) => [...group, '']).slice(0, -1)),
      ...phpUnits(
        set,
        placed.map(({ socket }) => socket),
      ),
    ]
  })
}

/** Which `php` the account's commands are, world-readable for the program that starts it. */
export const commandFolder = 'var/lib/panel-php'

const version = text(/^\d{1,2}\.\d{1,2}$/, 5)
const size = complete(1, 2 ** 31)
const settings = objectOf<PhpPoolSettings>(
  {
    memoryMb: size,
    executionS: size,
    uploadMb: size,
    postMb: size,
    inputVars: size,
    displayErrors: yesOrNo,
    opcache: yesOrNo,
    extensions: listOf(text(/^[a-z0-9_]{1,40}$/, 40), 50),
  },
  'PHP settings',
)

const MAX_POOLS = 10_000

/** One PHP-FPM master per account and version: a shared one shares its opcache, and a bad pool stops them all. */
export const php = part({
  name: 'php',
  dirs: [
    systemDir('etc/panel/php', 0o700),
    { ...systemDir('etc/systemd', 0o755), border: false },
    { ...systemDir('etc/systemd/system', 0o755), border: false },
    // Not listable: its entries are named after accounts.
    systemDir(commandFolder, 0o711),
  ],
  check: fields<PhpState>(
    {
      children: optional(complete(0, 2 ** 40)),
      sendsAsUser: optional(yesOrNo),
      version: optional(version),
      pools: listOf(
        objectOf<PhpPool>({ version: optional(version), name: optional(siteFile), settings }, 'a pool of PHP'),
        MAX_POOLS,
      ),
      maxExecutionS: size,
      idleMinutes: complete(0, 1440),
    },
    'PHP',
  ),
  render(core, state, _server, facts) {
    if (core.suspended) return nothing
    const command = systemFile(`${commandFolder}/${core.username}`, 0o644, [state.version ?? defaultVersion(facts)])
    const files = state.children === 0 || state.pools.length === 0 ? [] : filesOf(core, state, facts)
    return { dirs: [], files: [...files, command] }
  },
})
