import type { SourceFinding } from '../contract/commands/imports.ts'
import type { Collected } from './collected.ts'
import { decoded } from './text.ts'

const MAX_FINDINGS = 2_000

export interface NamedText {
  readonly name: string
  readonly text: string
}

/** The texts of an archive, and what is found while they are read. */
export class ArchiveTexts {
  readonly #collected: Collected
  readonly #findings: SourceFinding[]

  constructor(collected: Collected, findings: SourceFinding[]) {
    this.#collected = collected
    this.#findings = findings
  }

  of(path: string): string | undefined {
    const bytes = this.#collected.texts.get(path)
    return bytes && decoded(bytes)
  }

  /** Of the home. */
  home(path: string): string | undefined {
    const bytes = this.#collected.homeTexts.get(path)
    return bytes && decoded(bytes)
  }

  below(folder: string): NamedText[] {
    return textsBelow(this.#collected.texts, folder)
  }

  homeBelow(folder: string): NamedText[] {
    return textsBelow(this.#collected.homeTexts, folder)
  }

  /** The directories directly below a folder that have one of these files, as text. */
  foldersOf(folder: string, file: RegExp): string[] {
    const names = [...this.#collected.texts.keys()].flatMap((path) => {
      const [, name, rest] = new RegExp(`^${folder}/([^/]+)/(.+)$`).exec(path) ?? []
      return rest !== undefined && file.test(rest) ? [name!] : []
    })
    return [...new Set(names)]
  }

  find(finding: SourceFinding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding)
  }
}

const textsBelow = (texts: ReadonlyMap<string, Buffer>, folder: string): NamedText[] =>
  [...texts].flatMap(([path, bytes]) =>
    path.startsWith(folder) ? [{ name: path.slice(folder.length), text: decoded(bytes) }] : [],
  )
