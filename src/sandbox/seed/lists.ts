/** The sandbox's lists: 300 campaigns, some of them with names that are hard on whoever reads or types them. */
import { mix } from '../ids.ts'
import { hostileNames } from './names.ts'
import { hour, iso, type SeedOptions } from './time.ts'

export interface SeedList {
  readonly name: string
  readonly description: string | undefined
  /** Positions of contacts, the one that joined first comes first. */
  readonly members: readonly number[]
  readonly createdAt: string
}

/** Positions of the first company's lists that are told apart by name; the others are campaigns. */
export const vip = 160
export const emptyList = 200

const specialLists: Readonly<Record<number, { name: string; description?: string }>> = {
  7: { name: 'Newsletter', description: 'The older of two lists with the same name' },
  20: { name: 'Hostile names', description: 'Contacts whose names attack whoever shows them' },
  40: { name: '-VIP', description: 'Begins like an option' },
  41: { name: 'vip', description: 'Another letter case is another name' },
  42: { name: 'Café', description: 'Composed' },
  43: { name: 'Cafe\u0301', description: 'Decomposed: looks like the other one' },
  44: { name: '640000000000000000000abc', description: 'A name that looks like an id' },
  45: { name: '=1+1', description: "=cmd|' /C calc'!A0" },
  46: { name: '\u001b]0;owned\u0007Red \u001b[31mlist', description: 'two\nlines\u202e and more' },
  47: { name: '👩‍👩‍👧‍👦'.repeat(14), description: 'd'.repeat(1000) },
  48: { name: '顧客リスト', description: '' },
  49: { name: 'العملاء المميزون' },
  [vip]: { name: 'VIP', description: 'Customers who are called back within the hour' },
  [emptyList]: { name: 'Nobody yet', description: 'Has no members' },
  250: { name: '"double" \'single\' $(touch pwned): colon', description: '`touch pwned`; rm -rf ~' },
  299: { name: 'Newsletter', description: 'The newer of two lists with the same name' },
}

export function listsOf(options: SeedOptions): SeedList[] {
  const lists: SeedList[] = []
  for (let position = 0; position < 300; position += 1) {
    const special = specialLists[position]
    const hash = mix(options.seed, 21, position)
    lists.push({
      name: special?.name ?? `Campaign ${String(position).padStart(3, '0')}`,
      description: special === undefined && hash % 3 === 0 ? `Autumn mailing, part ${position}` : special?.description,
      members: membersOf(options, position, hash),
      createdAt: iso(options.epoch - (300 - position) * 7 * hour - (hash % hour)),
    })
  }
  return lists
}

function membersOf({ contacts }: SeedOptions, list: number, hash: number): number[] {
  if (list === emptyList || contacts === 0) return []
  const [start, count] =
    list === vip ? [600, 280] : list === 20 ? [0, hostileNames.length] : [100 + (hash % 4000), 3 + (hash % 30)]
  return Array.from({ length: Math.min(count, contacts) }, (_, n) => (start + n) % contacts)
}
