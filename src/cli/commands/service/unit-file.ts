import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { mark } from './unit.ts'

/** The location of a unit, and how to refer to it. */
export interface UnitPlace {
  readonly system: boolean
  readonly file: string
  /** The link that starts it at boot. */
  readonly link: string
  /** `systemctl`, or `systemctl --user`. */
  readonly systemctl: string
}

/** Root installs for the machine, others for themselves. */
export function placeOf(system: boolean, name = 'panel'): UnitPlace {
  const folder = system
    ? '/etc/systemd/system'
    : join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'systemd/user')
  const target = system ? 'multi-user.target.wants' : 'default.target.wants'
  return {
    system,
    file: join(folder, `${name}.service`),
    link: join(folder, target, `${name}.service`),
    systemctl: system ? 'systemctl' : 'systemctl --user',
  }
}

export type UnitOwner = 'nothing' | 'ours' | 'foreign'

/** Whether the unit exists, and whether we wrote it. */
export function foundAt({ file }: UnitPlace, own = mark): UnitOwner {
  if (!existsSync(file)) return 'nothing'
  return readFileSync(file, 'utf8').startsWith(own) ? 'ours' : 'foreign'
}

export function put({ file }: UnitPlace, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, text, { mode: 0o644 })
  renameSync(`${file}.new`, file)
}

export function remove({ file, link }: UnitPlace): void {
  rmSync(file)
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
}
