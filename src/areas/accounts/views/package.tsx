import { formPage } from '../../../web/kit/pages/form-page.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The form begins with the package that the account has: another would take its limits away unasked. */
export const packagePage = (view: ViewContext): PageView =>
  formPage(view, { package_id: view.sections['account']?.package_id })
