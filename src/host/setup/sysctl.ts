import type { Do } from './step.ts'

/** Settings of the kernel, by name. */
export type KernelSettings = Readonly<Record<string, number | string>>

const sysctl = '/usr/sbin/sysctl'

/** The text of a file of `/etc/sysctl.d`. In a container some settings are its host's, so none has to succeed. */
export const sysctlFile = (why: string, settings: KernelSettings): string =>
  `# Written by \`panel host setup\`: ${why}\n${Object.entries(settings)
    .map(([name, value]) => `-${name} = ${value}\n`)
    .join('')}`

/** Gives the kernel these settings, where they are this machine's. Returns whether it changed any. */
export async function setKernel(run: Do, settings: KernelSettings): Promise<boolean> {
  let changed = false
  for (const [name, value] of Object.entries(settings)) {
    const found = await run(sysctl, ['-n', name]).catch(() => undefined)
    if (found === undefined || found.trim().replaceAll(/\s+/g, ' ') === String(value)) continue
    changed = (await isDone(run(sysctl, ['-q', '-w', `${name}=${value}`]))) || changed
  }
  return changed
}

const isDone = (done: Promise<unknown>): Promise<boolean> =>
  done.then(
    () => true,
    () => false,
  )
