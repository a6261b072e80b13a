interface Prompt {
  readonly name: string
  readonly description: string
  readonly argument: { readonly name: string; readonly description: string }
  readonly text: (value: string) => string
}

const prompts: readonly Prompt[] = [
  {
    name: 'why-is-this-site-down',
    description: 'Why is this site down',
    argument: { name: 'domain', description: 'The domain' },
    text: (domain) =>
      `Find out why the site ${domain} is down. Steps: find(${domain}) for its ids; read getDomain, getAccount (is it suspended or over a limit?), getAccountUsage, listNoticesForAccount, listDnsRecords of its zone, listCertificates, and the last lines of its error log with tailLog; recent(account) for what changed. If an app answers there, read getApp and getAppLog. Say the cause with the evidence, and propose one change. Change nothing before I agree.`,
  },
  {
    name: 'where-is-this-message',
    description: 'Where is this message',
    argument: { name: 'address', description: 'The address that it was sent to, or from' },
    text: (address) =>
      `Find out where mail of ${address} is. Steps: find(${address}); read getMailbox or getForwarder, getMailFilters, getSpamSettings, getEmailDomain, getEmailDns and getEmailUsage, listNoticesForAccount, and recent(account). Say what happens to a message step by step: accepted, filtered, forwarded, refused or over a quota. Change nothing before I agree.`,
  },
  {
    name: 'move-this-account-in',
    description: 'Move this account in',
    argument: { name: 'path', description: 'Path of the archive on the server' },
    text: (path) =>
      `Move the account in the archive ${path} in. Steps: describe createImport; change createImport; wait(job); read getImportReport, and show me what would be left out and every conflict; updateImport with what we decide; then start it. Afterwards compare getAccountUsage with the report and tell which DNS records must still change.`,
  },
  {
    name: 'clean-up-before-a-limit',
    description: 'Clean up before a limit',
    argument: { name: 'account', description: 'The account' },
    text: (account) =>
      `The account ${account} is near a limit. Steps: find(${account}); read getAccountUsage, getUsageHistory, listBackups, listTrash, listMailboxes, listDatabases, listFiles of its largest directories. List what takes space, largest first, with what could go safely. Delete nothing before I agree to each item.`,
  },
]

export const promptList = prompts.map(({ name, description, argument }) => ({
  name,
  description,
  arguments: [{ ...argument, required: true }],
}))

const MAX_ARGUMENT_LENGTH = 320

/** The messages of a prompt; undefined if there is none of that name. */
export function promptCalled(name: string, values: Readonly<Record<string, string>> = {}) {
  const prompt = prompts.find((one) => one.name === name)
  if (!prompt) return undefined
  const text = prompt.text(JSON.stringify((values[prompt.argument.name] ?? '').slice(0, MAX_ARGUMENT_LENGTH)))
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
