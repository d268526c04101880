import { join } from 'node:path';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { expect, inject, onTestFinished } from 'vitest';
import type { Store } from '../../store/api';
import { bob } from '../run-writer';
import { temporaryFolder, testStore } from '../store-fixtures';
import { type Act, type Outcome, perform, summed } from './act';
import { differences, picture } from './picture';
import { Player } from './player';
import { lives, type Turn, World } from './world';

/** Lives of a workspace and turns of each: 200 turns, in full 10,000. */
const [LIVES, TURNS] = process.env.WAYMARK_FULL === '1' ? [200, 50] : [8, 25];

/** What another device says about a run that both have, in a file. */
async function foreignLog(run: string): Promise<string> {
  const store = testStore(temporaryFolder(), { device: 'laptop' });
  await perform(store, { act: 'create', run });
  await perform(store, { act: 'drive', run, uid: ulid(), steps: Array.from({ length: 6 }, plain) });
  for (const [from, to, value] of [
    [1, 4, 'mask'],
    [3, 3, 'train'],
    [2, 6, 'train'],
  ] as const) {
    await store.writer.annotate(bob, { run, from, to }, { op: 'label', value, reason: null });
  }
  await store.writer.undo(run, bob);
  const path = join(temporaryFolder(), 'labels.jsonl');
  await store.reader.exportAnnotations(path);
  await store.close();
  return path;
}

const plain = () => ({ output: 'ok\r\n', exitCode: 0, hint: null });

/** Several processes with one workspace open, and the same history in a workspace of one process. */
class Table {
  private readonly victims: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly players: Player[],
    private readonly one: Store,
    private readonly world: World,
  ) {}

  static async set(count: number): Promise<Table> {
    const folder = temporaryFolder();
    const players: Player[] = [];
    onTestFinished(async () => {
      await Promise.all(players.map((player) => player.kill()));
    });
    for (let player = 0; player < count; player += 1) players.push(await start(folder));
    const first = ulid();
    const one = testStore(temporaryFolder(), { device: 'desk' });
    const table = new Table(folder, players, one, new World(first, await foreignLog(first)));
    await table.both(0, { act: 'create', run: first });
    return table;
  }

  /** Whether anything happened: a wish may make no sense where the life stands. */
  async play(turn: Turn): Promise<boolean> {
    switch (turn.turn) {
      case 'act': {
        const act = this.world.resolve(turn.wish);
        if (act !== null) await this.both(turn.player, act);
        return act !== null;
      }
      case 'together': {
        const busy = new Set<string>();
        const acts: Act[] = [];
        for (const wish of turn.wishes) {
          const act = this.world.resolve(wish, busy);
          if (act === null) continue;
          const about = this.world.subject(act);
          if (busy.has(about) || this.world.clashes(act, acts)) continue;
          busy.add(about);
          acts.push(act);
        }
        await this.atOnce(acts);
        return acts.length > 0;
      }
      case 'merge_together':
        await this.atOnce(this.players.map(() => this.world.mergeOfAll()));
        return true;
      case 'reopen':
        await this.player(turn.player).close();
        this.players[turn.player] = await start(this.folder);
        return true;
      case 'kill':
        await this.player(turn.player).kill();
        this.players[turn.player] = await start(this.folder);
        return true;
      case 'kill_driver': {
        const run = ulid();
        this.victims.push(run);
        await this.player(turn.player).ask({ ask: 'act', act: { act: 'create', run } });
        const acknowledged = await this.player(turn.player).killInDrive(run, turn.after);
        this.players[turn.player] = await start(this.folder);
        const shown = await this.pictureOf(turn.player);
        const { summary } = shown[run] as { summary: { steps: number } };
        expect(summary.steps).toBeGreaterThanOrEqual(acknowledged);
        return true;
      }
    }
  }

  /** What a process shows is what one process alone would show, and everything that is kept is sound. */
  async look(player: number): Promise<void> {
    for (const each of this.players) await each.ask({ ask: 'drain' });
    await this.one.drain();
    const shown = await this.pictureOf(player);
    for (const victim of this.victims) delete shown[victim];
    expect(differences(shown, await picture(this.one)).join('\n')).toBe('');
    expect(await this.player(player + 1).ask({ ask: 'verify' })).toEqual([]);
  }

  async clear(): Promise<void> {
    await Promise.all(this.players.splice(0).map((player) => player.close()));
    await this.one.close();
  }

  private pictureOf(player: number): Promise<Record<string, unknown>> {
    return this.player(player).ask({ ask: 'picture' });
  }

  private async both(player: number, act: Act): Promise<void> {
    const outcome = await this.player(player).ask<Outcome>({ ask: 'act', act });
    expect(outcome).toBe(await perform(this.one, act));
  }

  /** Every act by another process, at the same moment; in the workspace of one process one after another. */
  private async atOnce(acts: readonly Act[]): Promise<void> {
    const outcomes = await Promise.all(
      acts.map((act, index) => this.player(index).ask<Outcome>({ ask: 'act', act })),
    );
    const alone: Outcome[] = [];
    for (const act of acts) alone.push(await perform(this.one, act));
    expect(summed(outcomes)).toEqual(summed(alone));
  }

  private player(index: number): Player {
    const player = this.players[index % this.players.length];
    if (player === undefined) throw new Error('Nobody sits at the table.');
    return player;
  }
}

function start(folder: string): Promise<Player> {
  return Player.start(folder, inject('storeWorkers'));
}

/**
 * Lives of a workspace in which `players` processes take turns: after each turn they show what one process alone would show,
 * and everything that is kept is sound. Each number of players has a test file, so that they run beside one another.
 */
export async function takeTurns(players: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(lives(players, TURNS), async (turns) => {
      const table = await Table.set(players);
      for (const [index, turn] of turns.entries()) {
        try {
          if (await table.play(turn)) await table.look(index);
        } catch (thrown) {
          const why = thrown instanceof Error ? thrown.message : String(thrown);
          throw new Error(`Turn ${index + 1}: ${JSON.stringify(turn)}\n${why}`, { cause: thrown });
        }
      }
      await table.clear();
    }),
    { numRuns: LIVES / 2, endOnFailure: true, includeErrorInReport: true },
  );
}
