import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { manifestFolder } from '../install/manifest.ts'
import { missingPackages } from './apt.ts'
import type { SetupContext } from './context.ts'
import { SetupError } from './error.ts'
import { factsOf } from './facts.ts'
import { digest } from './record.ts'
import type { Facts, SetupStep, Unit } from './step.ts'
import { allSteps } from './steps/all.ts'
import { systemctl } from './units.ts'

/** panel's own files in others' directories. */
const own = [
  '/etc/panel',
  '/etc/bind/panel',
  '/var/lib/bind/panel',
  '/var/lib/panel-php',
  '/var/lib/panel-phpmyadmin',
  '/var/lib/panel-webmail',
  '/var/lib/roundcube/plugins/panel',
  '/etc/mysql/mariadb.conf.d/91-panel-listen.cnf',
]
const isPanels = (unit: string): boolean => /^(?:run-)?panel\b/.test(unit)

interface UndoHost {
  readonly steps?: readonly SetupStep[]
  readonly known?: (context: SetupContext) => Promise<Facts>
}

/** Undoes `panel host setup` on a machine without accounts; returns whether there was anything to undo. */
export async function undoSetup(
  context: SetupContext,
  agree: (files: readonly string[]) => Promise<boolean>,
  { steps = allSteps, known = factsOf }: UndoHost = {},
): Promise<boolean> {
  const done = steps.filter(({ name }) => context.record.running(name) !== undefined).toReversed()
  if (done.length === 0) return false
  const facts = await known(context)
  refuseHosts(context.root, facts)
  const files = context.record.paths.filter((path) => !own.some((folder) => path.startsWith(`${folder}/`)))
  if (!(await agree(files))) throw new SetupError('Nothing was changed.')
  await stopUnits(context, done, facts)
  for (const path of files) takeBack(context, path)
  for (const { undo } of done) await undo?.(context.run)
  for (const path of own) rmSync(context.root + path, { recursive: true, force: true })
  await context.run(systemctl, ['daemon-reload'])
  await renewUnits(context, done, facts)
  await reportPackages(context, done, facts)
  context.record.forget()
  return true
}

function refuseHosts(root: string, { isNode }: Facts): void {
  if (isNode)
    throw new SetupError('This machine is a node of a panel.', "on the panel's machine: panel nodes delete NAME")
  const folder = join(root, '/', manifestFolder)
  const accounts = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9A-Z]{26}\.json$/.test(name)) : []
  if (accounts.length === 0) return
  throw new SetupError(
    `This machine hosts ${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}.`,
    'panel accounts terminate NAME, for each',
  )
}

/** What was here before panel stays up, as do administrators' sessions. */
const goes = ({ record }: SetupContext, { packages }: SetupStep, { suite }: Facts, { name, keeps }: Unit): boolean =>
  isPanels(name) || (!keeps && packages(suite).some((one) => record.installed?.includes(one) ?? true))

const unitsOf = (context: SetupContext, done: readonly SetupStep[], facts: Facts) =>
  done.flatMap((step) =>
    (step.units?.(facts.suite) ?? [])
      .filter(({ run }) => run === true)
      .map((unit) => ({ name: unit.name, goes: goes(context, step, facts, unit) })),
  )

async function stopUnits(context: SetupContext, done: readonly SetupStep[], facts: Facts): Promise<void> {
  for (const { name } of unitsOf(context, done, facts).filter((one) => one.goes)) {
    await context
      .run(systemctl, ['disable', '--now', '--quiet', name])
      .catch(({ message }: Error) => context.say(message))
    context.say(`${name}: stopped`)
  }
}

async function renewUnits(context: SetupContext, done: readonly SetupStep[], facts: Facts): Promise<void> {
  for (const { name } of unitsOf(context, done, facts).filter((one) => !one.goes)) {
    await context.run(systemctl, ['try-reload-or-restart', name]).catch(({ message }: Error) => context.say(message))
    context.say(`${name}: goes on`)
  }
}

/** Restores the original or removes the file; one changed by hand since is no longer panel's. */
function takeBack({ root, record, say }: SetupContext, path: string): void {
  const place = root + path
  if (!existsSync(place)) return
  if (digest(readFileSync(place, 'utf8')) !== record.wrote(path)) return say(`${path}: was changed by hand, stays`)
  const original = `${place}.panel-orig`
  if (!existsSync(original)) {
    rmSync(place)
    removeEmptyDropIn(dirname(place))
    return say(`${path}: removed`)
  }
  renameSync(original, place)
  say(`${path}: as it was`)
}

/** The directory of a unit's drop-ins, once the last is gone. */
function removeEmptyDropIn(folder: string): void {
  if (/\/etc\/systemd\/system\/[^/]+\.d$/.test(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

/** Omits packages of services that stay up: following this blindly must not remove sshd. */
async function reportPackages(context: SetupContext, done: readonly SetupStep[], { suite }: Facts): Promise<void> {
  const remaining = done
    .filter(({ units }) => units?.(suite).some(({ keeps }) => keeps))
    .flatMap((one) => one.packages(suite))
  const installed = context.record.installed ?? [...new Set(done.flatMap((one) => one.packages(suite)))]
  const missing = await missingPackages(context, installed)
  const there = installed.filter((name) => !missing.includes(name) && !remaining.includes(name))
  if (there.length > 0) context.say(`packages that setup installed: apt-get purge ${there.join(' ')}`)
}
