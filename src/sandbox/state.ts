/**
 * A sandbox's two companies, made from a seed. `transport.ts` makes one for a sandbox, the simulator one for each world.
 */
import type { Host } from '../host.ts'
import { Company } from './company.ts'
import { day, type SeedOptions } from './ids.ts'
import { seedCompany } from './seed/company.ts'

/** Tests ask for fewer contacts than people get, and for none at all. */
export type StateOptions = {
  readonly [Name in 'seed' | 'contacts' | 'empty']?: SeedOptions[Name] | undefined
}

/** The companies of a sandbox, and what they were made from. */
export class State {
  readonly seeding: SeedOptions
  readonly companies: readonly Company[]

  constructor(
    host: Pick<Host, 'now'>,
    { seed = 1, contacts = 5000, empty = false }: StateOptions,
  ) {
    const epoch = Math.floor(host.now() / day) * day
    const seeding = { seed, contacts, empty, epoch }
    this.seeding = seeding
    this.companies = [0, 1].map((number) => new Company(seedCompany(seeding, number)))
  }
}
