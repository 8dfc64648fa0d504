/**
 * Domains of the contacts that were read, and the one that a misspelled address may have meant. It is told, never compared as the same.
 * `matching.ts` counts the contacts that it reads, and `why.ts` prints the guess.
 */
import type { Contact } from '../api/schemas.ts'

/** A domain that fewer contacts have may be misspelled itself. */
const leastContacts = 5

export class Domains {
  /** By domain: ids of the first contacts that have it. */
  readonly #contacts = new Map<string, Set<string>>()
  readonly #near = new Map<string, string | undefined>()
  #usual: UsualDomains | undefined

  /** Counts a contact once, however often it comes. */
  add({ id, identities }: Contact): void {
    for (const address of identities?.email ?? []) {
      const domain = domainOf(address)
      if (domain === '') continue
      const contacts = this.#contacts.get(domain)
      if (contacts === undefined) this.#contacts.set(domain, new Set([id]))
      else if (contacts.size < leastContacts) contacts.add(id)
    }
  }

  /** The domain that an address may have meant: one letter more, less or other, or two swapped. Asked for when all are read. */
  near(address: string): string | undefined {
    const domain = domainOf(address)
    if (!this.#near.has(domain)) this.#near.set(domain, this.#find(domain))
    return this.#near.get(domain)
  }

  #find(domain: string): string | undefined {
    if (domain === '') return undefined
    this.#usual ??= new UsualDomains(this.#namesOfMany())
    return this.#usual.near(domain)
  }

  #namesOfMany(): string[] {
    const domains = [...this.#contacts]
    const many = domains.filter(([, contacts]) => contacts.size >= leastContacts)
    return many.map(([domain]) => domain)
  }
}

/**
 * Domains by what is left of them without any one of their letters. Two words that differ by one letter, or by two that are swapped, have
 * such a rest in common, so that a table with thousands of domains compares each with hardly any.
 */
class UsualDomains {
  readonly #domains: ReadonlySet<string>
  readonly #byRest = new Map<string, string[]>()

  constructor(domains: readonly string[]) {
    this.#domains = new Set(domains)
    for (const domain of domains) {
      for (const rest of restsOf(domain)) this.#add(rest, domain)
    }
  }

  near(domain: string): string | undefined {
    if (this.#domains.has(domain)) return undefined
    for (const rest of restsOf(domain)) {
      const alike = this.#byRest.get(rest)
      const found = alike?.find((usual) => isOneOff(domain, usual))
      if (found !== undefined) return found
    }
    return undefined
  }

  #add(rest: string, domain: string): void {
    const alike = this.#byRest.get(rest)
    if (alike === undefined) this.#byRest.set(rest, [domain])
    else alike.push(domain)
  }
}

/** A word whole, and without each of its letters. */
function restsOf(word: string): Set<string> {
  const rests = new Set([word])
  for (let at = 0; at < word.length; at += 1) {
    const before = word.slice(0, at)
    const behind = word.slice(at + 1)
    rests.add(before + behind)
  }
  return rests
}

function domainOf(address: string): string {
  return address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
}

/** Whether two words differ by one letter, or by two neighbors that are swapped. */
export function isOneOff(one: string, other: string): boolean {
  const more = one.length - other.length
  if (Math.abs(more) > 1 || one === other) return false
  let from = 0
  while (from < one.length && one[from] === other[from]) from += 1
  // From the first letter in which they differ.
  const rest = one.slice(from)
  const otherRest = other.slice(from)
  if (more === 1) return rest.slice(1) === otherRest
  if (more === -1) return rest === otherRest.slice(1)
  const isOther = rest.slice(1) === otherRest.slice(1)
  if (isOther) return true
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0]
  return isSwapped && rest.slice(2) === otherRest.slice(2)
}
