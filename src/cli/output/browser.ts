import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { note } from '../terminal.ts'

/** How long a browser has to read the redirecting page. */
const reading = 4000

/**
 * Opens a one-time link in this user's browser. It is passed in a private file, since everyone on the machine can see a
 * process's arguments. Returns whether a browser was started.
 */
export async function openLink(link: string): Promise<boolean> {
  const command = browserCommand()
  if (!command || !/^https?:/.test(link)) return declineToOpen()
  const folder = mkdtempSync(join(process.env['XDG_RUNTIME_DIR'] || tmpdir(), 'panel-link-'))
  try {
    const page = join(folder, 'open.html')
    writeFileSync(page, leading(link), { mode: 0o600 })
    const started = await start(command, page)
    if (started) await pause(reading)
    return started || declineToOpen()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function declineToOpen(): false {
  note('no browser could be started here: open the link yourself')
  return false
}

/** `$BROWSER`, else the system's opener; on Linux only with a display. */
function browserCommand(): readonly string[] | undefined {
  const chosen = process.env['BROWSER']?.split(':')[0]
  if (chosen) return [chosen]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['explorer']
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

function start([command = '', ...before]: readonly string[], page: string): Promise<boolean> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(command, [...before, page], { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
    child.unref()
  })
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const inHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')

const leading = (link: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${inHtml(link)}">
<title>Signing in</title>
`
