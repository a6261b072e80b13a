import { isIPv6 } from 'node:net'
import { isCommitHash } from '../../../shared/git-ref.ts'
import type { GitUrl } from '../../../shared/git-url.ts'
import type { GitSource } from '../../contract/commands/apps.ts'

/** Reads the credential from a descriptor: it appears in no argument, file or environment. */
const credential = '!f() { test "$1" = get && cat <&3; }; f'

/** Settings for this one call; no other configuration file is read. */
function settingsOf({ host, port, scheme }: GitUrl, { address }: GitSource): string[] {
  const pinned = `${host}:${port}:${isIPv6(address) ? `[${address}]` : address}`
  return [
    'core.hooksPath=/dev/null',
    'http.followRedirects=false',
    ...(scheme === 'https' ? [`http.curloptResolve=${pinned}`] : []),
    'credential.helper=',
    `credential.helper=${credential}`,
    'filter.lfs.smudge=',
    'filter.lfs.process=',
    'filter.lfs.required=false',
    'transfer.bundleURI=false',
    'submodule.recurse=false',
    'advice.detachedHead=false',
    'gc.auto=0',
    'maintenance.auto=false',
  ]
}

const gitWords = (url: GitUrl, source: GitSource): string[] => [
  'git',
  ...settingsOf(url, source).flatMap((setting) => ['-c', setting]),
]

/** The arguments of git, one call after the other, in an empty directory. */
export function gitCalls(url: GitUrl, source: GitSource): string[][] {
  const git = gitWords(url, source)
  const { ref } = source
  if (isCommitHash(ref))
    return [
      [...git, 'init', '--quiet', '--template=', '.'],
      [...git, 'fetch', '--quiet', '--depth', '1', '--no-tags', '--no-recurse-submodules', '--', source.url, ref],
      [...git, 'checkout', '--quiet', '--detach', 'FETCH_HEAD'],
    ]
  const branch = ref === undefined ? [] : [`--branch=${ref}`]
  const shallow = ['--quiet', '--template=', '--depth', '1', '--single-branch', '--no-recurse-submodules']
  return [[...git, 'clone', ...shallow, ...branch, '--', source.url, '.']]
}

/** Asks the repository for its branches and tags. */
export const remoteRefsCall = (url: GitUrl, source: GitSource): string[] => [
  ...gitWords(url, source),
  'ls-remote',
  '--symref',
  '--',
  source.url,
]

/** Run by a shell, where `PANEL_GIT` is the directory of the key and the known hosts. */
export function sshCommand({ address, deployKey, hostKey }: GitSource): string {
  const options = [
    'BatchMode=yes',
    'ConnectTimeout=20',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'ForwardAgent=no',
    'ProxyCommand=none',
    'UpdateHostKeys=no',
    'HashKnownHosts=no',
    'GlobalKnownHostsFile=/dev/null',
    `StrictHostKeyChecking=${hostKey === undefined ? 'accept-new' : 'yes'}`,
    `HostName=${address}`,
    `HostKeyAlias=${keyAlias}`,
  ]
  const known = `-o "UserKnownHostsFile=\\"$PANEL_GIT/known_hosts\\""`
  const key = deployKey === undefined ? '-o IdentityFile=none' : `-i "$PANEL_GIT/key"`
  return `ssh -F none ${options.map((option) => `-o ${option}`).join(' ')} ${known} ${key}`
}

/** The host's alias in the known hosts, whatever its name and port. */
export const keyAlias = 'repository'
