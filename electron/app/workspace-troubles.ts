import type { Failure } from '@shared/contract/errors';
import type { Publisher } from '../ipc/publish';

/** What is wrong with the open workspace, as a window that opens later is told it. */
export class WorkspaceTroubles {
  /** Why nothing can be kept, or why nothing could be opened. */
  current: Failure | null = null;
  unreadable: Failure[] = [];

  constructor(
    private readonly publisher: Publisher,
    private readonly log: { error(message: string): void },
  ) {}

  /** Another workspace is open. `problem`: why it is only read, if its disk takes nothing. */
  opened(problem: Failure | null): void {
    this.current = problem;
    this.unreadable = [];
  }

  readonly problem = (failure: Failure | null): void => {
    this.current = failure;
    this.publisher.publish('workspace.problem', { problem: failure });
  };

  readonly isUnreadable = (failure: Failure): void => {
    this.unreadable.push(failure);
    this.log.error(failure.message);
    this.publisher.publish('workspace.unreadable', { failure });
  };
}
