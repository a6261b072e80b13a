import type { Invocation } from '../invocation.ts'

type Run = (invocation: Invocation) => Promise<void>

/** The hand-written commands, each loaded when it is run. */
const loaders: Readonly<Record<string, () => Promise<{ run: Run }>>> = {
  serve: () => import('./serve.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  'replica-init': () => import('./replica-init.ts'),
  'replica-status': () => import('./replica-status.ts'),
  'replica-drill': () => import('./replica-drill.ts'),
  takeover: () => import('./takeover.ts'),
  'secret-rotate': () => import('./secret-rotate.ts'),
  'host-join': () => import('./host-join.ts'),
  'host-purge': () => import('./host-purge.ts'),
  'host-setup': () => import('./host-setup.ts'),
  'service-install': () => import('./service-install.ts'),
  'service-uninstall': () => import('./service-uninstall.ts'),
  doctor: () => import('./doctor.ts'),
  login: () => import('./login.ts'),
  logout: () => import('./logout.ts'),
  context: () => import('./context.ts'),
  version: () => import('./version.ts'),
  open: () => import('./open.ts'),
  service: () => import('./service.ts'),
  whoami: () => import('./whoami.ts'),
  api: () => import('./api.ts'),
  'events-tail': () => import('./events-tail.ts'),
  'webhooks-listen': () => import('./webhooks-listen.ts'),
  'files-download': () => import('./files-download.ts'),
  'files-upload': () => import('./files-upload.ts'),
  'mysql-export': () => import('./mysql-export.ts'),
  'import-run': () => import('./import-run.ts'),
  upgrade: () => import('./upgrade.ts'),
  mcp: () => import('./mcp.ts'),
  'jobs-wait': () => import('./jobs-wait.ts'),
  'jobs-logs': () => import('./jobs-logs.ts'),
  completion: () => import('./completion.ts'),
  'completion-install': () => import('./completion-install.ts'),
}

/** Runs a local command. */
export async function runOwn(invocation: Invocation): Promise<void> {
  const load = loaders[invocation.command.own ?? '']
  if (!load) throw new Error(`no module implements the command ${invocation.command.own}`)
  const { run } = await load()
  await run(invocation)
}
