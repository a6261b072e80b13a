import type { SourceFinding } from '../contract/commands/imports.ts'
import { ArchiveTexts } from './archive-texts.ts'
import type { Collected } from './collected.ts'
import { escaped, isDomain, keyValues } from './text.ts'
import { readYaml, textAt, type Yaml } from './yaml.ts'

export interface Userdata {
  readonly yaml: Yaml
  readonly homedir: string | undefined
  readonly documentroot: string | undefined
  readonly ip: string | undefined
  readonly phpversion: string | undefined
}

/** The texts of an archive of cPanel's. */
export class CpanelTexts extends ArchiveTexts {
  readonly cp: ReadonlyMap<string, string>
  readonly username: string
  readonly mainDomain: string
  readonly main: Yaml
  readonly #userdata = new Map<string, Userdata | undefined>()

  constructor(collected: Collected, findings: SourceFinding[]) {
    super(collected, findings)
    const [own] = this.below('cp/')
    this.cp = keyValues(own?.text ?? '')
    this.username = own?.name ?? this.cp.get('USER') ?? ''
    this.main = this.#yaml('userdata/main')
    this.mainDomain = (textAt(this.main, 'main_domain') ?? this.cp.get('DNS') ?? '').toLowerCase()
  }

  /** What userdata says of a domain's site. */
  userdata(domain: string): Userdata | undefined {
    if (!this.#userdata.has(domain)) this.#userdata.set(domain, this.#readUserdata(domain))
    return this.#userdata.get(domain)
  }

  #readUserdata(domain: string): Userdata | undefined {
    const path = `userdata/${domain}`
    if (!isDomain(domain) || this.of(path) === undefined) return undefined
    const yaml = this.#yaml(path)
    return {
      yaml,
      homedir: textAt(yaml, 'homedir'),
      documentroot: textAt(yaml, 'documentroot'),
      ip: textAt(yaml, 'ip'),
      phpversion: textAt(yaml, 'phpversion'),
    }
  }

  #yaml(path: string): Yaml {
    const yaml = readYaml(this.of(path) ?? '')
    for (const { line, text } of yaml.ignored)
      this.find({ part: 'domains', item: escaped(path), text: `ignored: ${text}`, file: escaped(path), line })
    return yaml
  }
}
