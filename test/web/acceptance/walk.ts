import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Reply } from '../../harness.ts'
import { origin, type Part, textOf, type Visitor } from '../visitor.ts'

/** One action of a person on a page. */
export type Step =
  /** Follows the link to an address. */
  | { readonly go: string }
  /** Types into the search of the page, and submits it. */
  | { readonly find: string }
  /** Submits the form of an operation with these values; `press` names a button that stages it without saving. */
  | {
      readonly send: string
      readonly typed?: Readonly<Record<string, string>>
      readonly press?: string
      readonly file?: Part
    }
  | { readonly see: RegExp }

/** A person using the panel, with a script or without. */
export interface Walker {
  home(path: string): Promise<void>
  go(address: string): Promise<void>
  find(text: string): Promise<void>
  send(step: Extract<Step, { send: string }>): Promise<void>
  text(): Promise<string>
}

const linksOf = (body: string): string[] =>
  [...body.matchAll(/\shref="([^"#]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))

/** Without a script: links and forms as they are in the page. */
export class Scriptless implements Walker {
  readonly #visitor: Visitor
  #page!: Reply

  constructor(visitor: Visitor) {
    this.#visitor = visitor
  }

  async home(path: string): Promise<void> {
    this.#page = await this.#visitor.get(path)
  }

  async go(address: string): Promise<void> {
    const links = linksOf(this.#page.body)
    if (!links.includes(address)) throw new Error(`no link to ${address} among ${links.join(' ')}`)
    await this.home(address)
    expect([address, this.#page.status]).toEqual([address, 200])
  }

  async find(text: string): Promise<void> {
    const [, action] = /<form method="get" action="([^"]+)"/.exec(this.#page.body)!
    await this.home(`${action}?${new URLSearchParams({ q: text })}`)
  }

  async send({ send, typed = {}, press, file }: Extract<Step, { send: string }>): Promise<void> {
    const own = this.#page.body.split('<form').find((one: string) => one.includes(`value="${send}"`)) ?? ''
    const lacking = Object.keys(typed).filter((name) => !own.split('</form>')[0].includes(`name="${name}"`))
    if (lacking.length > 0) throw new Error(`${send} has no field ${lacking} among ${own.match(/name="[^"]+/g)}`)
    const answer = file
      ? await this.#visitor.upload(this.#page, send, typed, file)
      : await this.#visitor.submit(this.#page, send, { ...typed, ...(press && { _stage: press }) })
    if (answer.status === 200) this.#page = answer
    else if (answer.headers.get('location')?.startsWith('/')) this.#page = await this.#visitor.follow(answer)
    else expect([send, answer.status, textOf(answer.body)]).toEqual([send, 303, ''])
    if (this.#page.status >= 400) throw new Error(`${send}: ${textOf(this.#page.body)}`)
  }

  text = async (): Promise<string> => textOf(this.#page.body)
}

const saves = 'button[type=submit]:not([name])'

/** In a browser: with clicks and keys. */
export class Scripted implements Walker {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async home(path: string): Promise<void> {
    await this.#page.goto(origin + path)
  }

  /** The search is everywhere: a key opens it. */
  async go(address: string): Promise<void> {
    if (address.endsWith('/search')) return this.#page.keyboard.press('Control+k')
    const open = this.#page.locator('dialog[open]')
    const visible = (await open.count()) > 0 ? open : this.#page
    await visible.locator(`a[href="${address}"]:visible`).first().click()
    await this.#page.waitForURL(origin + address)
  }

  async find(text: string): Promise<void> {
    await this.#page.locator('dialog input').fill(text)
  }

  async send({ send, typed = {}, press, file }: Extract<Step, { send: string }>): Promise<void> {
    const form = this.#page.locator(`form:has(input[name=do][value=${send}])`).first()
    for (const folded of await form.locator('xpath=ancestor::details[not(@open)]/summary').all()) await folded.click()
    for (const more of await form.locator('details.more:not([open]) > summary').all()) await more.click()
    for (const [name, value] of file ? [] : Object.entries(typed))
      await this.#fill(form.locator(`[name="${name}"]:not([type=hidden])`), value)
    const submits = form.locator(press ? `button[value=${press}]` : saves).first()
    // A drop zone sends a file when it is chosen.
    const isDropZone = (await form.getAttribute('data-upload')) !== null
    const choose = () => file && form.locator('input[type=file]').setInputFiles(partOf(file))
    if (!isDropZone) await choose()
    await Promise.all([this.#page.waitForNavigation(), isDropZone ? choose() : submits.click()])
  }

  async #fill(field: ReturnType<Page['locator']>, value: string): Promise<void> {
    const kind = await field.first().evaluate((one: { tagName: string; type: string }) => `${one.tagName} ${one.type}`)
    if (kind.endsWith('checkbox') || kind.endsWith('radio')) return this.#choose(field, value)
    if (kind.startsWith('SELECT')) return void (await field.selectOption(value))
    return field.fill(value)
  }

  async #choose(field: ReturnType<Page['locator']>, value: string): Promise<void> {
    for (const one of await field.all()) {
      const isChosen = (await one.getAttribute('value')) === value
      // A radio button is unchecked only by another one.
      if (isChosen || (await one.getAttribute('type')) === 'checkbox') await one.setChecked(isChosen)
    }
  }

  text = async (): Promise<string> => (await this.#page.locator('body').innerText()).replace(/\s+/g, ' ')
}

const partOf = ({ name, bytes }: Part) => ({ name, mimeType: 'text/plain', buffer: bytes })

/** The maximum number of pages for a task, starting from home. */
export const max = 3

/** Completes a task from home; returns the pages loaded until it was done, including a confirmation. */
export async function walk(walker: Walker, home: string, steps: readonly Step[]): Promise<number> {
  await walker.home(home)
  let loads = 0
  for (const [index, step] of steps.entries()) {
    const isRequested = 'send' in step && steps.slice(index + 1).some((later) => 'send' in later)
    if ('go' in step || 'find' in step || isRequested) loads++
    if ('go' in step) await walker.go(step.go)
    else if ('find' in step) await walker.find(step.find)
    else if ('send' in step) await walker.send(step)
    else expect(await walker.text()).toMatch(step.see)
  }
  return loads
}
