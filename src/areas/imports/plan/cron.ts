import { readSchedule } from '../../../contract/schedule/parse.ts'
import type { SourceCron } from '../../../host/contract/driver.ts'
import { localNode } from '../../../shared/node-name.ts'
import { maxJobs } from '../../cron/change.ts'
import { installedPhp } from '../../php/store.ts'
import { type Planning, skips } from './planning.ts'

const ownPrograms =
  /\/usr\/local\/cpanel\/(?!3rdparty\/bin\/php)|\/usr\/local\/directadmin\/|softaculous|installatron|\/scripts\//i

export interface PlannedCron {
  readonly item: string
  readonly schedule: string
  readonly command: string
  readonly mail: boolean
  readonly enabled: boolean
}

/** Lines of the crontab. */
export function planCron(at: Planning): PlannedCron[] {
  const { source, report } = at
  const planned: PlannedCron[] = []
  if (skips(at, 'cron')) return planned
  const installed = new Set(installedPhp(at.ctx.db, localNode).map(({ version }) => version))
  let count = 0
  for (const job of source.cron) {
    const item = `line ${job.line}`
    const place = { from: job.text, line: job.line }
    const problem = problemOf(job) ?? (++count > maxJobs ? `an account has at most ${maxJobs} cron jobs` : undefined)
    if (problem !== undefined) report.add('cron', item, 'not_possible', problem, place)
    else {
      const changes = changesOf(job, installed)
      const to = commandOf(job, installed)
      const missing = versionsIn(job).filter((version) => !installed.has(version))
      report.add('cron', item, changes.length > 0 ? 'changed' : 'as_is', changes.join('; ') || 'cron job', {
        ...place,
        to,
        ...(missing.length > 0 && { fix: `panel host setup --php ${missing.join(',')}` }),
      })
      const { schedule, command, mailTo } = job
      planned.push({ item, schedule, command: to, mail: mailTo !== '', enabled: !isFed(command) })
    }
  }
  return planned
}

function problemOf({ schedule, command }: SourceCron): string | undefined {
  if (schedule === '@reboot') return 'jobs do not run at a start of the machine'
  if (ownPrograms.test(command)) return 'a program of the former panel'
  try {
    readSchedule(schedule)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** A bare percent sign begins what the command reads; with a backslash it is itself. */
const isFed = (command: string): boolean => /(^|[^\\])%/.test(command)

/** Former paths of PHP, some of a version. */
const php =
  /(?<![^\s;|&("'`])(?:\/usr\/local\/bin\/php|\/usr\/bin\/php|\/usr\/local\/cpanel\/3rdparty\/bin\/php|(?:\/usr\/local\/bin\/|\/usr\/bin\/)?(?:ea|alt)-php(\d\d)|\/opt\/(?:cpanel\/ea-|alt\/)php(\d\d)\/(?:root\/)?usr\/bin\/php|\/usr\/local\/php(\d\d)\/bin\/php)(?![^\s;|&)"'`])/g

const versionOf = (digits: string): string => `${digits[0]}.${digits.slice(1)}`

const versionsIn = ({ command }: SourceCron): string[] => [
  ...new Set([...command.matchAll(php)].flatMap(([, ...digits]) => digits.filter(Boolean).map(versionOf))),
]

function changesOf(job: SourceCron, installed: ReadonlySet<string>): string[] {
  const { command, shell, mailTo } = job
  const versions = versionsIn(job)
  const isPlain = [...command.matchAll(php)].some(([, ...digits]) => !digits.some(Boolean))
  return [
    ...(isPlain ? ["runs the main domain's version of PHP"] : []),
    ...versions.map((version) =>
      installed.has(version)
        ? `runs php${version}`
        : `PHP ${version} is not installed: runs the main domain's version of PHP`,
    ),
    ...(isFed(command) ? ['is switched off: it reads what stands behind %'] : []),
    ...(shell === '/bin/bash' ? ['runs by bash'] : []),
    ...(mailTo === '' ? ['sends no mail'] : []),
  ]
}

/** The command as it runs here. */
function commandOf({ command, shell }: SourceCron, installed: ReadonlySet<string>): string {
  const programOf = (_: string, ...found: (string | undefined)[]) => {
    const digits = found.slice(0, 3).find((one) => typeof one === 'string')
    return digits !== undefined && installed.has(versionOf(digits)) ? `php${versionOf(digits)}` : 'php'
  }
  const own = command.replaceAll(php, programOf).replaceAll('\\%', '%')
  return shell === '/bin/bash' && !isFed(command) ? `bash -c '${own.replaceAll("'", "'\\''")}'` : own
}
