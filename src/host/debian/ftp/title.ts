import { textOf } from '../fragments.ts'
import { programOf } from '../processes.ts'

/** What a process of ProFTPD calls itself: its login, once it says one. Nothing: the process is none of ProFTPD's. */
export type Title = (pid: number) => { readonly login?: string } | undefined

export const titleOf: Title = (pid) => {
  if (programOf(pid) !== 'proftpd') return undefined
  const login = /^proftpd: (\S+@\S+) - /.exec(textOf(`/proc/${pid}/cmdline`) ?? '')?.[1]
  return login === undefined ? {} : { login }
}
