/** The sandbox's employees: people and assistants, some of whom can have no ticket. */
import { ids, mix, pick } from '../ids.ts'
import { pools } from './names.ts'
import { channels } from './tickets.ts'
import { day, iso, type SeedOptions } from './time.ts'

export interface SeedEmployee {
  readonly id: string
  readonly firstName: string
  readonly lastName: string
  readonly channels: readonly string[]
  readonly kind: 'human' | 'ai'
  readonly position: string
  readonly access: string
  readonly status: 'active' | 'inactive'
  readonly createdAt: string
}

export function employeesOf(options: SeedOptions, company: number, count: number): SeedEmployee[] {
  const employeeIds = ids(options.seed, company, 'employee')
  const channelIds = ids(options.seed, company, 'channel')
  const all = channels.map((_, n) => channelIds.at(n))
  return Array.from({ length: count }, (_, position) => {
    const hash = mix(options.seed, company, 31, position)
    const pool = pick(pools.slice(0, 11), hash)
    // The first ones have a known part; 6 and 7 share one "First Last".
    const names: Readonly<Record<number, readonly [string, string]>> = {
      0: ['Alice', 'Adams'],
      1: ['Robin', 'Berg'],
      2: ['Helper', 'Bot'],
      3: ['Ingrid', 'Inactive'],
      4: ['Nils', 'Nochannel'],
      5: ['Mallory\u001b[31m', 'Override\u202e'],
      6: ['Sam', 'Twin'],
      7: ['Sam', 'Twin'],
    }
    const [firstName, lastName] = names[position] ?? [pick(pool.first, hash >>> 8), pick(pool.last, hash >>> 16)]
    const ai = position === 2 || (position > 7 && hash % 6 === 0)
    const inactive = position === 3 || (position > 7 && hash % 7 === 0)
    return {
      id: employeeIds.at(position),
      firstName,
      lastName,
      channels: position === 4 ? [] : position > 7 && hash % 5 === 0 ? all.slice(1, 3) : all,
      kind: ai ? 'ai' : 'human',
      position: ai ? 'Assistant' : pick(['Support agent', 'Team lead', 'Sales', ''], hash),
      access: position === 0 ? 'admin' : pick(['agent', 'agent', 'viewer'], hash >>> 4),
      status: inactive ? 'inactive' : 'active',
      createdAt: iso(options.epoch - 400 * day - (hash % day)),
    }
  })
}
