import { markName } from './mark.ts'

export interface Tenant {
  readonly username: string
  /** The home as this process reaches it. */
  readonly home: string
  readonly mark: string
}

/** All that a tenant's process is told: nothing of the panel's own environment but the time zone. */
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
