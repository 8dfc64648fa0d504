/**
 * The sandbox's contacts. Everything is computed from a seed and a position, so that ids are the same on every start and
 * 100,000 contacts cost no memory: a contact is built when it is asked for.
 *
 * Times are relative to the start of the UTC day on which the data was first made: ids never change, and the ticket
 * that must be older than 30 days always is, while the others are younger.
 */
import { identityKeys } from '../../api/limits.ts'
import { mix, pick } from '../ids.ts'
import { hostileNames, pools } from './names.ts'
import { day, iso, type SeedOptions } from './time.ts'

/** Every key, most without values. */
export type Identities = Readonly<Record<string, string[]>>

export interface SeedContact {
  firstName: string
  lastName: string
  identities: Identities
  createdAt: string
  updatedAt: string
  /** API: Delete contacts in bulk, a contact associated with chats is not deleted. */
  chat: boolean
}

/** A third of the contacts are associated with chats. */
export function hasChat(position: number): boolean {
  return position % 3 === 1
}

function identity(kind: string, position: number, hash: number): string {
  if (kind.endsWith('phone'))
    return `+1555${String(1_000_000 + (position % 9_000_000)).padStart(7, '0')}`
  if (kind === 'email') return `contact${position}@example.com`
  if (kind.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}

export function seedContact(
  { seed, epoch }: SeedOptions,
  company: number,
  position: number,
): SeedContact {
  const hash = mix(seed, company, 11, position)
  const pool = pick(pools, hash)
  const hostile = company === 0 ? hostileNames[position] : undefined
  const identities: Identities = Object.fromEntries(identityKeys.map((key) => [key, []]))
  const add = (key: string, value = identity(key, position, hash)): void =>
    void identities[key]?.push(value)
  // Every key occurs: one by position, and a phone or an email for most.
  const own = pick(identityKeys, position)
  add(own)
  if (hash % 4 !== 0 && own !== 'phone') add('phone')
  if (hash % 3 !== 0 && own !== 'email') add('email')
  if (hash % 17 === 0) add('phone', `+44 20 7946 0${String(hash % 1000).padStart(3, '0')}`)
  if (hostile !== undefined) {
    add('email', `"${hostile[0].slice(0, 40)}"@evil.example`)
    add('messengerB_username', hostile[1])
    add('phone', '=1+1')
  }
  const createdAt = epoch - day - (hash % 500) * day - (mix(hash) % day)
  return {
    firstName: hostile?.[0] ?? pick(pool.first, hash >>> 8),
    lastName: hostile?.[1] ?? pick(pool.last, hash >>> 16),
    identities,
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt + (mix(hash, 1) % day)),
    chat: hasChat(position),
  }
}
