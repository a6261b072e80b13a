import { existsSync, readdirSync } from 'node:fs'
import { release as kernelRelease } from 'node:os'
import { join } from 'node:path'

/** Made by packages whose new version runs only after a restart. */
const required = 'run/reboot-required'
/** Its release is a version and a flavour: `6.1.0-40` and `-amd64`, `6.12.48+deb13` and `-cloud-amd64`. */
const image = /^vmlinuz-(\d.*?(-[a-z].*|))$/

/** Why this machine should be restarted; undefined if there is no reason. `running` is the kernel's release. */
export function rebootReason(root = '/', running = kernelRelease()): string | undefined {
  const newest = newerKernel(root, running)
  if (newest !== undefined) return `Linux ${newest} is installed, and ${running} still runs.`
  return existsSync(join(root, required)) ? 'Installed packages ask for a restart.' : undefined
}

/** The newest of the same flavour. Where the running one is not installed, as in a container, nothing can be said. */
function newerKernel(root: string, running: string): string | undefined {
  const boot = join(root, 'boot')
  const names = existsSync(boot) ? readdirSync(boot) : []
  const kernels = names.flatMap((name) => {
    const [, release, flavour] = image.exec(name) ?? []
    return release === undefined ? [] : [{ release, flavour }]
  })
  const own = kernels.find(({ release }) => release === running)
  const alike = kernels.filter(({ flavour }) => flavour === own?.flavour).map(({ release }) => release)
  const newest = alike.toSorted(byVersion).at(-1)
  return own && newest !== running ? newest : undefined
}

const byVersion = new Intl.Collator('en', { numeric: true }).compare
