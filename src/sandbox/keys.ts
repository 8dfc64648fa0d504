/** The sandbox's keys and what each may do. */

/** What the service knows of a company's plan. `none`: no API; `limited-history`: tickets up to 30 days. */
export type Plan = 'full' | 'limited-history' | 'none'

export interface Key {
  readonly name: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly scope: 'read' | 'read-write'
  readonly plan: Plan
}

/** A key and the company whose data it opens (0 or 1). */
export interface CompanyKey extends Key {
  readonly company: number
}

/** The five keys. The secrets are public on purpose: they open nothing but a sandbox. */
export const companyKeys: readonly CompanyKey[] = [
  key('read-write', 'rw', 'read-write', 'full', 0),
  key('read', 'read', 'read', 'full', 0),
  key('no-plan', 'noplan', 'read-write', 'none', 0),
  key('limited-history', 'limited', 'read-write', 'limited-history', 0),
  key('second-company', 'second', 'read-write', 'full', 1),
]

function key(name: string, short: string, scope: Key['scope'], plan: Plan, company: number): CompanyKey {
  return {
    name,
    apiKey: `pk_sandbox_${short}`,
    apiSecret: `sk_sandbox_${short}_opens_nothing_but_the_sandbox`,
    scope,
    plan,
    company,
  }
}
