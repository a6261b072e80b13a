import { markName } from './mark.ts'

export interface Tenant {
  readonly username: string
  /** The home's path for this process. */
  readonly home: string
  readonly mark: string
}

/** The whole environment of a tenant's process: nothing of the panel's own but the time zone. */
export const environmentOf = ({ username, home, mark }: Tenant): NodeJS.ProcessEnv => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  USER: username,
  LOGNAME: username,
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TMPDIR: `${home}/tmp`,
  ...(process.env['TZ'] && { TZ: process.env['TZ'] }),
  [markName]: mark,
})
