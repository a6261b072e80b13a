import { LinkButton, Submit } from '../../../web/kit/components/button.tsx'
import { Code, codeInputProps } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { listOf, NUMBER_FIELD, numberIn, partsIn } from '../../../web/kit/forms/item-of-list.ts'
import { ItemOfList, Replacing } from '../../../web/kit/forms/list-form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { Table } from '../../../web/kit/lists/table.tsx'
import type { Answered, FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The field with a new user's password, which no page and no command shows again. */
export const PASSWORD_FIELD = 'user_password'

export const toAccess = (form: URLSearchParams) => ({ access: listOf(form, ruleIn) })

/** The rule that a form describes. Users who are named without a password keep theirs. */
function ruleIn(form: URLSearchParams): object {
  const [allow, deny, names] = ['allow', 'deny', 'users'].map((name) => partsIn(form.get(name)))
  const name = (form.get('user') ?? '').trim()
  const password = form.get(PASSWORD_FIELD) ?? ''
  const added = name === '' ? [] : [{ name, ...(password !== '' && { password }) }]
  const users = [...names!.filter((one) => one !== name).map((one) => ({ name: one })), ...added]
  return {
    path: (form.get('path') ?? '').trim(),
    ...(allow!.length > 0 && { allow }),
    ...(deny!.length > 0 && { deny }),
    ...(users.length > 0 && { users }),
  }
}

/** Who may visit which paths of a site, and a form for one rule. */
export function accessPage(view: ViewContext): PageView {
  const rules: Answered[] = view.data.access ?? []
  const form = view.data.kind === 'parked' ? undefined : view.form('updateDomain', { only: [] })
  const number = numberIn(view.query, view.typed, rules)
  return {
    title: t('Access rules'),
    lead: (
      <a href={view.href('/domains/{domain}')}>
        <Code text={view.data.name} />
      </a>
    ),
    body: (
      <>
        {rules.length === 0 ? (
          <p class="card empty soft">
            {t('A rule limits who may visit a path: by address, or by name and password. Without one, everybody may.')}
          </p>
        ) : (
          <Rules view={view} rules={rules} form={form} />
        )}
        {form ? (
          <Card title={number < rules.length ? 'Change the rule' : 'Add a rule'} id="rule">
            <RuleForm view={view} form={form} rules={rules} number={number} />
          </Card>
        ) : null}
      </>
    ),
  }
}

interface RulesProps {
  readonly view: ViewContext
  readonly rules: readonly Answered[]
  readonly form: FormModel | undefined
}

const Rules = ({ view, rules, form }: RulesProps) => (
  <div class="card">
    <Table
      caption="Access rules"
      rows={rules.map((rule, number) => ({ rule, number }))}
      columns={[
        { field: 'path', cell: ({ rule }) => <Code text={rule.path} /> },
        { field: 'allow', label: 'Only from', cell: ({ rule }) => <Listed of={rule.allow} /> },
        { field: 'deny', label: 'Not from', cell: ({ rule }) => <Listed of={rule.deny} /> },
        { field: 'users', label: 'Who must sign in', cell: ({ rule }) => <Listed of={namesOf(rule)} /> },
      ]}
      action={
        form
          ? ({ number }) => (
              <span class="buttons">
                <LinkButton href={`${view.path}?edit=${number}#rule`} label="Edit" />
                <Replacing form={form} label="Remove" list={rules.toSpliced(number, 1)} />
              </span>
            )
          : undefined
      }
    />
  </div>
)

const namesOf = ({ users = [] }: Answered): string[] => users.map(({ name }: Answered) => name)

const Listed = ({ of = [] }: { of?: readonly string[] }) => (of.length === 0 ? <>–</> : <Code text={of.join(', ')} />)

interface AccessFormProps {
  readonly view: ViewContext
  readonly form: FormModel
  readonly rules: readonly Answered[]
  readonly number: number
}

/** As typed, or as the rule is; never with a password. */
function draftOf(rule: Answered | undefined, typed: URLSearchParams | undefined) {
  const lines = (name: string, values: readonly string[] = []) => typed?.get(name) ?? values.join('\n')
  return {
    path: typed?.get('path') ?? rule?.path ?? '',
    allow: lines('allow', rule?.allow),
    deny: lines('deny', rule?.deny),
    users: lines('users', rule && namesOf(rule)),
    user: typed?.get('user') ?? '',
  }
}

const RuleForm = ({ view, form, rules, number }: AccessFormProps) => {
  const draft = draftOf(rules[number], view.typed?.has(NUMBER_FIELD) ? view.typed : undefined)
  return (
    <form method="post" action={form.action} class="fields pad" data-once="" data-say="">
      <ItemOfList view={view} form={form} list={rules} number={number} />
      <Line name="path" label="Path" value={draft.path} help="Holds for it and all below it: / is the whole site" />
      <Line
        many
        name="allow"
        label="Only from"
        value={draft.allow}
        help="Addresses or networks such as 192.0.2.0/24, one a line"
      />
      <Line many name="deny" label="Not from" value={draft.deny} help="Prevails over the addresses above" />
      <Line
        many
        name="users"
        label="Who must sign in"
        value={draft.users}
        help="Names, one a line; they keep their passwords"
      />
      <Line name="user" label="Add a name" value={draft.user} help="Or an existing one, to change its password" />
      <div class="field text">
        <label for={`rule-${PASSWORD_FIELD}`}>{t('Its password')}</label>
        <input
          id={`rule-${PASSWORD_FIELD}`}
          name={PASSWORD_FIELD}
          type="password"
          autocomplete="new-password"
          maxlength={255}
        />
      </div>
      <p class="buttons">
        <Submit label="Save the rule" look="main" />
        {number < rules.length ? <LinkButton href={view.path} label="Cancel" /> : null}
      </p>
    </form>
  )
}

interface LineProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly help: string
  /** One value a line. */
  readonly many?: boolean
}

const Line = ({ name, label, value, help, many = false }: LineProps) => {
  const input = { id: `rule-${name}`, name, class: 'm', 'aria-describedby': `help-${name}`, ...codeInputProps }
  return (
    <div class="field text">
      <label for={input.id}>{t(label)}</label>
      {many ? (
        <textarea {...input} rows={3}>
          {value}
        </textarea>
      ) : (
        <input {...input} value={value} autocomplete="off" />
      )}
      <p class="help" id={`help-${name}`}>
        {t(help)}
      </p>
    </div>
  )
}
