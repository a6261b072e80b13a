import { command, isLarge } from '../command.ts'
import {
  accepts,
  check,
  complete,
  knowsAll,
  type Output,
  object,
  optional,
  patterns,
  type Schema,
  text,
  that,
  where,
  yesOrNo,
} from '../fields.ts'
import { MAX_WORDPRESS_ITEMS } from '../files.ts'
import * as shape from '../shape.ts'
import { accountName } from './names.ts'

const MAX_TASK_S = 900

const extension = shape.fields({
  slug: shape.text(255),
  name: shape.maybe(shape.text(200)),
  version: shape.maybe(shape.text(32)),
  /** The newer version that the site knows of. */
  update: shape.maybe(shape.text(32)),
  active: shape.flag,
})
const user = shape.fields({
  id: shape.count,
  username: shape.text(60),
  name: shape.text(250),
  email: shape.text(100),
  roles: shape.list(shape.text(100), 20),
  administrator: shape.flag,
})
const listOf = <T>(item: Schema<T>) => shape.fields({ items: shape.list(item, MAX_WORDPRESS_ITEMS) })

interface Task<Input, Answer> {
  readonly input: Schema<Input>
  readonly answer: Schema<Answer>
}
const task = <Input, Answer>(declared: Task<Input, Answer>): Task<Input, Answer> => declared
const nothing = object({}, 'a task of WordPress')

const oneLine = (max: number) => text(/^[^\p{Cc}]+$/u, max)
/** From the home; in base64. */
const place = text(/^[A-Za-z0-9+/]+={0,2}$/, 16_384)
const MAX_TABLES = 2_000
const MAX_WORDS = 300
const linkFile = text(/^panel-sign-in-[0-9a-f]{16}\.php$/)

/** What a site is asked by its own WordPress; what it answers is its tenant's text. */
export const wordpressTasks = {
  plugins: task({ input: nothing, answer: listOf(extension) }),
  themes: task({ input: nothing, answer: listOf(extension) }),
  users: task({ input: nothing, answer: listOf(user) }),
  /** Leaves a file beside WordPress that signs its first visitor with the token in, and is gone then; null: no such user. */
  signIn: task({
    input: object(
      {
        file: linkFile,
        /** The SHA-256 of the token. */
        hash: text(/^[0-9a-f]{64}$/),
        /** How long it works, by the node's own clock. */
        seconds: complete(1, 600),
        /** An administrator; the first if absent. */
        user: optional(oneLine(60)),
      },
      'a sign-in',
    ),
    answer: shape.fields({ user: shape.orNone(shape.text(60)) }),
  }),
  /** Fills an empty database, for files that are not in their place yet. */
  install: task({
    input: object(
      {
        title: oneLine(200),
        user: oneLine(60),
        email: oneLine(100),
        password: oneLine(128),
        locale: optional(text(/^[A-Za-z_]{2,20}$/)),
        permalinks: text(/^[\x21-\x7e]+$/, 100),
      },
      'an installation',
    ),
    answer: shape.fields({ user: shape.count }),
  }),
  /** Has WordPress answer visitors with its page for maintenance, or no longer. */
  maintenance: task({ input: object({ enabled: yesOrNo }, 'maintenance'), answer: shape.fields({}) }),
  /** Where its plugins and themes are, from the home; none if that is elsewhere. */
  places: task({
    input: nothing,
    answer: shape.fields({ plugins: shape.orNone(shape.text(4096)), themes: shape.orNone(shape.text(4096)) }),
  }),
  /** Answers a page as a visitor gets it, with plugins and theme: what PHP makes of `index.php` in a directory. */
  visit: task({
    input: object({ index: place, path: text(/^\/[!-~]*$/, 2_048) }, 'a page'),
    answer: shape.fields({
      status: shape.upTo(999),
      title: shape.text(200),
      bytes: shape.count,
      /** Whether its HTML ends. */
      complete: shape.flag,
      words: shape.list(shape.text(60), MAX_WORDS),
      /** Where PHP failed. */
      fatal: shape.maybe(shape.text(500)),
    }),
  }),
  /** What tables hold that no one can make again: posts, users, comments, orders, entries. */
  contents: task({
    input: nothing,
    answer: shape.fields({
      tables: shape.list(shape.fields({ name: shape.text(64), checksum: shape.text(32) }), MAX_TABLES),
    }),
  }),
  /** Brings the tables to the version of the files. */
  upgradeTables: task({ input: nothing, answer: shape.fields({}) }),
  /** Gives scripts below a directory the current time, so that what caches them by their time reads them again. */
  touch: task({ input: object({ directory: place }, 'a directory'), answer: shape.fields({}) }),
  /** Removes such a file. */
  endSignIn: task({ input: object({ file: linkFile }, 'a sign-in'), answer: shape.fields({}) }),
}
type Tasks = typeof wordpressTasks
export type WordpressTask = keyof Tasks
export type TaskInput<Name extends WordpressTask> = Output<Tasks[Name]['input']>
export type TaskAnswer<Name extends WordpressTask> = Output<Tasks[Name]['answer']>

const taskNames = Object.keys(wordpressTasks)
const taskOf = (name: WordpressTask): Task<object, object> => wordpressTasks[name] as Task<object, object>

const taskRequest = where(
  object(
    {
      account: accountName,
      /** The version of PHP. */
      php: text(/^\d{1,2}\.\d{1,2}$/),
      /** The directory of WordPress itself, below the home; in base64. */
      core: place,
      url: text(new RegExp(`^https?://${patterns.domain.source.slice(1, -1)}(?:/[!-~]*)?$`), 2_048),
      task: text(/^[A-Za-z]{1,32}$/) as Schema<WordpressTask>,
      input: that<object>((value) => typeof value === 'object' && value !== null),
      timeoutS: complete(1, MAX_TASK_S),
    },
    'a task of WordPress',
  ),
  ({ task, input }) => {
    knowsAll([task], taskNames, 'task of WordPress')
    check(taskOf(task).input, input)
    return true
  },
  'task of WordPress',
)
export type TaskRequest = Output<typeof taskRequest>

export const wordpressCommands = {
  /**
   * Runs a task by a site's own WordPress: as its tenant, in its slice, without a network, its plugins and its theme. It
   * may run again.
   */
  runWordpress: command({
    input: taskRequest,
    result: shape.fields({ answer: that<object>((value) => typeof value === 'object' && value !== null) }),
    route: { account: ({ account }) => account.id },
    large: isLarge,
    fits: ({ task }, { answer }) => accepts(taskOf(task).answer, answer),
  }),
}
