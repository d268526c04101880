import { Notification } from 'electron';

type Show = (title: string, body: string, clicked: () => void) => void;

/** How a notification is shown here; `clicked`: the person wants to see what it is about. `silent`: not at all. */
export function systemNotices(silent: boolean): Show {
  /** A notification that nothing holds is collected, and its click with it. */
  const shown = new Set<Notification>();
  return (title, body, clicked) => {
    if (silent || !Notification.isSupported()) return;
    const notice = new Notification({ title, body });
    notice.on('click', () => {
      shown.delete(notice);
      clicked();
    });
    notice.on('close', () => shown.delete(notice));
    shown.add(notice);
    notice.show();
  };
}
