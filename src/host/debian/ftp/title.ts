import { textOf } from '../fragments.ts'
import { programOf } from '../processes.ts'

/** The process title of a ProFTPD session: its login, once it has one. Undefined if the process is not ProFTPD's. */
export type Title = (pid: number) => { readonly login?: string } | undefined

export const titleOf: Title = (pid) => {
  if (programOf(pid) !== 'proftpd') return undefined
  const login = /^proftpd: (\S+@\S+) - /.exec(textOf(`/proc/${pid}/cmdline`) ?? '')?.[1]
  return login === undefined ? {} : { login }
}
