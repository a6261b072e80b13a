import { constants } from 'node:os'
import { data, isTty } from '../terminal.ts'

/** The program for long output on a terminal: PANEL_PAGER, else PAGER; none if that is empty or `cat`. */
function pagerOf(env: NodeJS.ProcessEnv): string | undefined {
  if (!isTty() || env['TERM'] === 'dumb' || env['PANEL_NO_INPUT']) return undefined
  const pager = (env['PANEL_PAGER'] ?? env['PAGER'] ?? '').trim()
  return pager === '' || pager === 'cat' ? undefined : pager
}

/** Writes text, through the pager if it is longer than the screen. */
export function page(text: string): void {
  const pager = pagerOf(process.env)
  const rows = process.stdout.rows || 24
  if (pager === undefined || text.split('\n').length <= rows || !hasPaged(pager, text)) data(text)
}

/** Whether the pager could be started. */
function hasPaged(pager: string, text: string): boolean {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const env = { LESS: 'FRX', LV: '-c', ...process.env }
  // The pager decides what an interrupt means.
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  const { error, status } = spawnSync('sh', ['-c', pager], { env, input: text, stdio: ['pipe', 'inherit', 'inherit'] })
  process.off('SIGINT', ignore)
  const left = (error as NodeJS.ErrnoException | undefined)?.errno === -constants.errno.EPIPE
  return (error === undefined || left) && status !== 126 && status !== 127
}
