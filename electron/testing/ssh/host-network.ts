import { run } from './namespaces';

/** Slots of this process that are taken; each is a small network of its own. */
const taken = new Set<number>();
const slots = 8;

/**
 * A network namespace joined to ours by a cable of two virtual interfaces, with the ways in which a link fails.
 * Addresses are from the range set aside for tests of networks (RFC 2544).
 */
export class HostNetwork {
  private constructor(
    private readonly slot: number,
    /** As `ip netns` lists it. */
    readonly name: string,
    /** Our end of the cable. */
    private readonly cable: string,
    readonly ourAddress: string,
    /** The host's address. */
    readonly address: string,
  ) {}

  static async make(name: string): Promise<HostNetwork> {
    const slot = Array.from({ length: slots }, (_, index) => index).find((index) => !taken.has(index));
    if (slot === undefined)
      throw new Error(`One process has at most ${slots} hosts with a network of their own.`);
    taken.add(slot);
    const number = ((process.pid % 4096) * slots + slot) * 4; // four addresses each, in 198.18.0.0/15
    const address = (last: number) =>
      `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${(number & 255) + last}`;
    const cable = `wm${process.pid.toString(36)}${slot}`;
    const network = new HostNetwork(slot, name, cable, address(1), address(2));
    await network.build();
    return network;
  }

  private async build(): Promise<void> {
    const { name, cable, address, ourAddress } = this;
    await run('ip', ['netns', 'add', name]);
    await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'host0', 'netns', name]);
    await run('ip', ['address', 'add', `${ourAddress}/30`, 'dev', cable]);
    await run('ip', ['link', 'set', cable, 'up']);
    await run('ip', ['-n', name, 'address', 'add', `${address}/30`, 'dev', 'host0']);
    await run('ip', ['-n', name, 'link', 'set', 'host0', 'up']);
    await run('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  }

  /** Both ends hear at once that the connections are gone (RST). */
  async reset(): Promise<void> {
    await run('ss', ['-K', 'dst', this.address]);
  }

  /** The cable is pulled: sending fails or waits, nothing is answered. */
  async linkDown(): Promise<void> {
    await run('ip', ['link', 'set', this.cable, 'down']);
  }

  async linkUp(): Promise<void> {
    await run('ip', ['link', 'set', this.cable, 'up']);
  }

  /** Every packet vanishes, nobody is told. */
  async drop(): Promise<void> {
    const chain = (hook: string) => `chain ${hook} { type filter hook ${hook} priority 0; policy drop; }`;
    const rules = `table inet cut {\n${chain('input')}\n${chain('output')}\n}`;
    await run('ip', ['netns', 'exec', this.name, 'nft', rules]);
  }

  async undrop(): Promise<void> {
    await run('ip', ['netns', 'exec', this.name, 'nft', 'delete table inet cut']);
  }

  async remove(): Promise<void> {
    // The kernel destroys a network late when something in it lives; the cable goes at once.
    await run('ip', ['link', 'delete', this.cable]);
    await run('ip', ['netns', 'delete', this.name]);
    taken.delete(this.slot);
  }
}
