/* SPDX-License-Identifier: MIT */
/*
 * The performance-event ABI, laid out and named as perf_event_open(2) documents it, so that one
 * program compiles against this file or the Linux one. docs/abi.md tells, bit for bit, what this
 * kernel does and what it refuses; tests/host/test_abi.c compares the layouts.
 */
#pragma once

#include <stdint.h>

/* perf_event_attr.type */
enum perf_type_id {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5,
	PERF_TYPE_MAX
};

/* perf_event_attr.config of PERF_TYPE_HARDWARE */
enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES = 0,
	PERF_COUNT_HW_INSTRUCTIONS = 1,
	PERF_COUNT_HW_CACHE_REFERENCES = 2,
	PERF_COUNT_HW_CACHE_MISSES = 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
	PERF_COUNT_HW_BRANCH_MISSES = 5,
	PERF_COUNT_HW_BUS_CYCLES = 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
	PERF_COUNT_HW_REF_CPU_CYCLES = 9,
	PERF_COUNT_HW_MAX
};

/* perf_event_attr.config of PERF_TYPE_SOFTWARE */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = 0,  /* ns of a CPU */
	PERF_COUNT_SW_TASK_CLOCK = 1, /* ns of a task on CPUs */
	PERF_COUNT_SW_PAGE_FAULTS = 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
	PERF_COUNT_SW_CPU_MIGRATIONS = 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
	PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
	PERF_COUNT_SW_EMULATION_FAULTS = 8,
	PERF_COUNT_SW_DUMMY = 9,
	PERF_COUNT_SW_BPF_OUTPUT = 10,
	PERF_COUNT_SW_CGROUP_SWITCHES = 11,
	PERF_COUNT_SW_MAX
};

/* perf_event_attr.sample_type: what a sample holds; PERF_RECORD_SAMPLE below has the order */
enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_AUX = 1U << 20,
	PERF_SAMPLE_CGROUP = 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
	PERF_SAMPLE_MAX = 1U << 25
};

/*
 * What the registers of a sample are; their numbers, bits of sample_regs_user and sample_regs_intr,
 * are those of the machine's asm/perf_regs.h: docs/abi.md lists them.
 */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE = 0, /* none follow */
	PERF_SAMPLE_REGS_ABI_32 = 1,
	PERF_SAMPLE_REGS_ABI_64 = 2
};

/* perf_event_attr.read_format: what read() returns after the value, in this order */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
	PERF_FORMAT_MAX = 1U << 5
};

/* Sizes that perf_event_attr has had: it only grows. */
#define PERF_ATTR_SIZE_VER0 64
#define PERF_ATTR_SIZE_VER1 72
#define PERF_ATTR_SIZE_VER2 80
#define PERF_ATTR_SIZE_VER3 96
#define PERF_ATTR_SIZE_VER4 104
#define PERF_ATTR_SIZE_VER5 112
#define PERF_ATTR_SIZE_VER6 120
#define PERF_ATTR_SIZE_VER7 128
#define PERF_ATTR_SIZE_VER8 136

/* What an event is to count and what its samples are to hold. */
struct perf_event_attr {
	uint32_t type;   /* PERF_TYPE_* */
	uint32_t size;   /* of this structure as the caller knows it */
	uint64_t config; /* PERF_COUNT_*, by type */
	union {
		uint64_t sample_period; /* events a sample */
		uint64_t sample_freq;   /* samples a second, when freq is set */
	};
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */

	uint64_t disabled : 1;
	uint64_t inherit : 1;
	uint64_t pinned : 1;
	uint64_t exclusive : 1;
	uint64_t exclude_user : 1;
	uint64_t exclude_kernel : 1;
	uint64_t exclude_hv : 1;
	uint64_t exclude_idle : 1;
	uint64_t mmap : 1;
	uint64_t comm : 1;
	uint64_t freq : 1;
	uint64_t inherit_stat : 1;
	uint64_t enable_on_exec : 1;
	uint64_t task : 1;
	uint64_t watermark : 1;
	uint64_t precise_ip : 2;
	uint64_t mmap_data : 1;
	uint64_t sample_id_all : 1;
	uint64_t exclude_host : 1;
	uint64_t exclude_guest : 1;
	uint64_t exclude_callchain_kernel : 1;
	uint64_t exclude_callchain_user : 1;
	uint64_t mmap2 : 1;
	uint64_t comm_exec : 1;
	uint64_t use_clockid : 1;
	uint64_t context_switch : 1;
	uint64_t write_backward : 1;
	uint64_t namespaces : 1;
	uint64_t ksymbol : 1;
	uint64_t bpf_event : 1;
	uint64_t aux_output : 1;
	uint64_t cgroup : 1;
	uint64_t text_poke : 1;
	uint64_t build_id : 1;
	uint64_t inherit_thread : 1;
	uint64_t remove_on_exec : 1;
	uint64_t sigtrap : 1;
	uint64_t __reserved_1 : 26;

	union {
		uint32_t wakeup_events;    /* samples between wake-ups */
		uint32_t wakeup_watermark; /* or bytes, when watermark is set */
	};
	uint32_t bp_type;
	union {
		uint64_t bp_addr;
		uint64_t kprobe_func;
		uint64_t uprobe_path;
		uint64_t config1;
	};
	union {
		uint64_t bp_len;
		uint64_t kprobe_addr;
		uint64_t probe_offset;
		uint64_t config2;
	};
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t __reserved_2;
	uint32_t aux_sample_size;
	uint32_t __reserved_3;
	uint64_t sig_data;
	uint64_t config3;
};

/* perf_event_attr.clockid: the numbers of these clocks on Linux, whatever time.h calls them. */
enum perf_clockid {
	PERF_CLOCKID_REALTIME = 0,
	PERF_CLOCKID_MONOTONIC = 1,
	PERF_CLOCKID_MONOTONIC_RAW = 4,
	PERF_CLOCKID_BOOTTIME = 7,
	PERF_CLOCKID_TAI = 11
};

/* perf_event_open() flags */
#define PERF_FLAG_FD_NO_GROUP (1UL << 0)
#define PERF_FLAG_FD_OUTPUT   (1UL << 1)
#define PERF_FLAG_PID_CGROUP  (1UL << 2)
#define PERF_FLAG_FD_CLOEXEC  (1UL << 3)

/*
 * ioctl() requests: the letter '$' and a number; a transfer direction in bits 30 and 31 and the
 * argument's size in bits 16 to 29, which for pointer types is the machine's pointer size.
 */
#define PERF_EVENT_IOC_NR_(dir, nr, size) \
	((unsigned)(dir) << 30 | (unsigned)(size) << 16 | (unsigned)'$' << 8 | (unsigned)(nr))
#define PERF_EVENT_IOC_ENABLE            PERF_EVENT_IOC_NR_(0, 0, 0)
#define PERF_EVENT_IOC_DISABLE           PERF_EVENT_IOC_NR_(0, 1, 0)
#define PERF_EVENT_IOC_REFRESH           PERF_EVENT_IOC_NR_(0, 2, 0)
#define PERF_EVENT_IOC_RESET             PERF_EVENT_IOC_NR_(0, 3, 0)
#define PERF_EVENT_IOC_PERIOD            PERF_EVENT_IOC_NR_(1, 4, 8)
#define PERF_EVENT_IOC_SET_OUTPUT        PERF_EVENT_IOC_NR_(0, 5, 0)
#define PERF_EVENT_IOC_SET_FILTER        PERF_EVENT_IOC_NR_(1, 6, sizeof(char *))
#define PERF_EVENT_IOC_ID                PERF_EVENT_IOC_NR_(2, 7, sizeof(uint64_t *))
#define PERF_EVENT_IOC_SET_BPF           PERF_EVENT_IOC_NR_(1, 8, 4)
#define PERF_EVENT_IOC_PAUSE_OUTPUT      PERF_EVENT_IOC_NR_(1, 9, 4)
#define PERF_EVENT_IOC_QUERY_BPF         PERF_EVENT_IOC_NR_(3, 10, sizeof(void *))
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES PERF_EVENT_IOC_NR_(1, 11, sizeof(void *))

enum perf_event_ioc_flags { PERF_IOC_FLAG_GROUP = 1U << 0 };

/*
 * The first page of a mapped ring. data_head and data_tail are free-running byte counts; the reader
 * loads data_head with acquire, reads the records, then stores data_tail with release.
 */
struct perf_event_mmap_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock; /* changes before and after an update of the fields that follow */
	uint32_t index;
	int64_t offset;
	uint64_t time_enabled;
	uint64_t time_running;
	union {
		uint64_t capabilities;
		struct {
			uint64_t cap_bit0 : 1;
			uint64_t cap_bit0_is_deprecated : 1;
			uint64_t cap_user_rdpmc : 1;
			uint64_t cap_user_time : 1;
			uint64_t cap_user_time_zero : 1;
			uint64_t cap_user_time_short : 1;
			uint64_t cap_____res : 58;
		};
	};
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t __reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t __reserved[928];

	uint64_t data_head;
	uint64_t data_tail;
	uint64_t data_offset; /* of the records from the start of this page */
	uint64_t data_size;
	uint64_t aux_head;
	uint64_t aux_tail;
	uint64_t aux_offset;
	uint64_t aux_size;
};

/* Every record begins with this and is a multiple of eight bytes long. */
struct perf_event_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

/* perf_event_header.misc: in which mode it struck, and bits whose meaning depends on the record */
#define PERF_RECORD_MISC_CPUMODE_MASK           (7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN        (0 << 0)
#define PERF_RECORD_MISC_KERNEL                 (1 << 0)
#define PERF_RECORD_MISC_USER                   (2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR             (3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL           (4 << 0)
#define PERF_RECORD_MISC_GUEST_USER             (5 << 0)
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12)
#define PERF_RECORD_MISC_MMAP_DATA              (1 << 13)
#define PERF_RECORD_MISC_COMM_EXEC              (1 << 13)
#define PERF_RECORD_MISC_FORK_EXEC              (1 << 13)
#define PERF_RECORD_MISC_SWITCH_OUT             (1 << 13)
#define PERF_RECORD_MISC_EXACT_IP               (1 << 14)
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT     (1 << 14)
#define PERF_RECORD_MISC_MMAP_BUILD_ID          (1 << 14)
#define PERF_RECORD_MISC_EXT_RESERVED           (1 << 15)

/*
 * Records. With sample_id_all all but SAMPLE end in a trailer, each part when its bit is in
 * sample_type: { u32 pid, tid } TID; u64 TIME; u64 ID; u64 STREAM_ID; { u32 cpu, 0 } CPU;
 * u64 IDENTIFIER.
 */
enum perf_event_type {
	PERF_RECORD_MMAP = 1,       /* u32 pid, tid; u64 addr, len, pgoff; char filename[] */
	PERF_RECORD_LOST = 2,       /* u64 id, lost */
	PERF_RECORD_COMM = 3,       /* u32 pid, tid; char comm[] */
	PERF_RECORD_EXIT = 4,       /* u32 pid, ppid, tid, ptid; u64 time */
	PERF_RECORD_THROTTLE = 5,   /* u64 time, id, stream_id */
	PERF_RECORD_UNTHROTTLE = 6, /* as THROTTLE */
	PERF_RECORD_FORK = 7,       /* as EXIT */
	PERF_RECORD_READ = 8,       /* u32 pid, tid; what read() returns */
	/*
	 * u64 IDENTIFIER; u64 IP; { u32 pid, tid } TID; u64 TIME; u64 ADDR; u64 ID; u64 STREAM_ID;
	 * { u32 cpu, 0 } CPU; u64 PERIOD; READ; { u64 nr; u64 ips[nr] } CALLCHAIN; RAW;
	 * BRANCH_STACK; { u64 abi; u64 regs[abi ? bits of the mask : 0] } REGS_USER;
	 * { u64 size; u8 data[size]; u64 dyn_size (if size) } STACK_USER; WEIGHT; DATA_SRC;
	 * TRANSACTION; REGS_INTR as REGS_USER; u64 PHYS_ADDR; ...
	 */
	PERF_RECORD_SAMPLE = 9,
	/*
	 * u32 pid, tid; u64 addr, len, pgoff; { u32 maj, min; u64 ino, ino_generation } or, with
	 * MISC_MMAP_BUILD_ID, { u8 size, 0; u16 0; u8 id[20] }; u32 prot, flags; char filename[]
	 */
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,    /* u64 lost */
	PERF_RECORD_SWITCH = 14,          /* nothing: the trailer says who */
	PERF_RECORD_SWITCH_CPU_WIDE = 15, /* u32 pid, tid of the other one */
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_MAX
};

/* Chain entries at or above PERF_CONTEXT_MAX are markers: the frames after one belong to it. */
enum perf_callchain_context {
	PERF_CONTEXT_HV = (uint64_t)-32,
	PERF_CONTEXT_KERNEL = (uint64_t)-128,
	PERF_CONTEXT_USER = (uint64_t)-512,
	PERF_CONTEXT_GUEST = (uint64_t)-2048,
	PERF_CONTEXT_GUEST_KERNEL = (uint64_t)-2176,
	PERF_CONTEXT_GUEST_USER = (uint64_t)-2560,
	PERF_CONTEXT_MAX = (uint64_t)-4095
};

#define PERF_MAX_STACK_DEPTH        127
#define PERF_MAX_CONTEXTS_PER_STACK 8
